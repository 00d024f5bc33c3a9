/** The view "My account": name and password, the browsers that are signed in, what was done. */

import { loadAccount } from "../actions/account.js";
import { loadAudit } from "../actions/audit.js";
import { refreshTab } from "../actions/refresh.js";
import { el, setHidden } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { store } from "../store.js";
import { nameForm, passwordForm } from "./account_forms.js";
import { mountSessions } from "./account_sessions.js";
import { mountAudit } from "./audit.js";
import { errorState, loadingState } from "./states.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountAccount(parent) {
  refreshTab("account", () => [loadAccount(), loadAudit()]);
  const other = el("div", { class: "account-other" });
  const forms = el("div", { class: "account-forms" });
  const lists = el("div", { class: "account-lists" });
  const name = nameForm();
  forms.append(name.node, passwordForm());
  const title = el("h1", { class: "account-title" }, t("account.title"));
  const view = el("div", { class: "account" }, title, other, forms, lists);
  const stops = [mountSessions(lists), mountAudit(lists), name.stop];
  parent.append(view);
  let shown = "";
  stops.push(store.watch(["account"], () => {
    const { document, status, error } = store.state.account;
    const state = document ? "ready" : status;
    if (state === shown) return;
    shown = state;
    setHidden(forms, state !== "ready");
    setHidden(lists, state !== "ready");
    const loading = state === "loading" ? [loadingState(5)] : [];
    other.replaceChildren(...(state === "failed" ? [errorState(error, () => void loadAccount())] : loading));
  }));
  return () => {
    for (const stop of stops) stop();
    view.remove();
  };
}
