/** The tab "API keys": a table of all keys, and the way to a new one. */

import { loadKeys } from "../actions/keys.js";
import { refreshTab } from "../actions/refresh.js";
import { el, setHidden } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { store } from "../store.js";
import { button } from "./cleanup_parts.js";
import { openKey } from "./key_detail.js";
import { openNewKey } from "./key_dialogs.js";
import { keyRow, updateKeyRow } from "./key_row.js";
import { emptyState, errorState, loadingState } from "./states.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountKeys(parent) {
  const about = [t("keys.key"), t("keys.scope"), t("keys.created"), t("keys.expires")];
  const columns = [t("keys.name"), ...about, t("keys.used"), t("keys.state")];
  const head = el("tr", {}, ...columns.map((text) => el("th", { scope: "col" }, text)));
  const body = el("tbody");
  const own = { class: "keys-table", "aria-label": t("topbar.keys") };
  const table = el("table", own, el("thead", {}, head), body);
  const other = el("div");
  const create = newKeyButton();
  const title = el("header", {}, el("h1", {}, t("topbar.keys")), create);
  const view = el("div", { class: "keys" }, title, other, table);
  parent.append(view);
  refreshTab("keys", () => [loadKeys()]);
  let shown = "";
  const stop = store.watch(["keys"], () => {
    const { status, rows, error } = store.state.keys;
    const state = rows.length > 0 ? "table" : status;
    setHidden(table, state !== "table");
    setHidden(create, state === "ready");
    if (state !== shown) other.replaceChildren(...otherState(state, error));
    shown = state;
    renderKeyed(body, rows, {
      key: (key) => key.id,
      create: (key) => keyRow(key, openKey),
      update: updateKeyRow,
    });
  });
  return () => {
    stop();
    view.remove();
  };
}

/** What stands there without a table. @param {string} state @param {unknown} error */
function otherState(state, error) {
  if (state === "table") return [];
  if (state === "loading") return [loadingState(4)];
  if (state === "failed") return [errorState(error, () => void loadKeys())];
  const [title, text] = [t("keys.none"), t("keys.noneText")];
  return [emptyState({ icon: "key", title, text, action: newKeyButton() })];
}

function newKeyButton() {
  return button(t("keys.new"), openNewKey, "button primary");
}
