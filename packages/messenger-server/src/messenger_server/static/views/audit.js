/** The audit trail: what was done with the account, newest first. */

import { loadAudit, loadOlderAudit } from "../actions/audit.js";
import { loadKeys } from "../actions/keys.js";
import { notify } from "../actions/notices.js";
import { dateTime, timeNode } from "../lib/dates.js";
import { el, setHidden, setText } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { renderKeyed } from "../lib/keyed.js";
import { agentLabel, mailboxLabel } from "../model/names.js";
import { store } from "../store.js";
import { section } from "./account_forms.js";
import { browserName } from "./account_sessions.js";
import { errorState, errorText, loadingState } from "./states.js";

/** @typedef {{at: string, action: string, target: string | null, session: string | null, address: string | null}} AuditEvent */

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountAudit(parent) {
  const list = el("ol", { class: "audit" });
  const other = el("div", {});
  const more = el("button", { type: "button", class: "button", on: { click: () => void showMore(more) } }, t("account.more"));
  const view = section(t("account.audit"), list, other, more);
  parent.append(view);
  let shown = "";
  // Keys and mailboxes are there for their names.
  const stop = store.watch(["audit", "account", "keys", "overview"], () => {
    const { events, status, hasMore, error } = store.state.audit;
    setHidden(more, !hasMore);
    const state = events.length ? "ready" : status;
    if (state !== shown) {
      const loading = state === "loading" ? [loadingState(4)] : [];
      other.replaceChildren(...(state === "failed" ? [errorState(error, () => void loadAudit())] : loading));
    }
    shown = state;
    renderKeyed(list, events, { key: (event) => event.at, create: eventRow, update: updateEvent });
  });
  void loadKeys();
  return () => {
    stop();
    view.remove();
  };
}

/** @param {HTMLButtonElement} button */
async function showMore(button) {
  button.disabled = true;
  try {
    await loadOlderAudit();
  } catch (error) {
    notify("error", errorText(error));
  }
  button.disabled = false;
}

/** @param {AuditEvent} event */
function eventRow(event) {
  const isRefusal = event.action.endsWith("_refused");
  return el(
    "li",
    { class: `audit-event${isRefusal ? " is-refusal" : ""}` },
    timeNode(event.at, dateTime),
    el("p", { class: "audit-what breaks" }, icon(isRefusal ? "warning" : "check"), el("span", { dir: "auto" })),
    el("p", { class: "audit-who soft small", title: event.session }),
  );
}

function updateEvent(/** @type {HTMLElement} */ row, /** @type {AuditEvent} */ event) {
  setText(/** @type {Node} */ (row.querySelector(".audit-what span")), sentence(event));
  setText(/** @type {Node} */ (row.querySelector(".audit-who")), who(event));
}

/** From where: a browser where it is known, the network address. @param {AuditEvent} event */
function who({ session, address }) {
  const known = store.state.account.document?.sessions.find((/** @type {any} */ each) => each.id === session);
  const from = known && browserName(known.user_agent);
  return [from, address ?? t("account.commandLine")].filter(Boolean).join(" · ");
}

/** @param {AuditEvent} event */
function sentence({ action, target }) {
  const id = target ?? "?";
  const say = Object.hasOwn(SENTENCES, action) ? SENTENCES[action] : null;
  return say ? say(id) : [action, target].filter(Boolean).join(": ");
}

/** @type {Record<string, (target: string) => string>} */
const SENTENCES = {
  account_created: (name) => t("account.didCreate", { name }),
  account_renamed: (name) => t("account.didRename", { name }),
  key_changed: (id) => t("account.didChangeKey", { name: keyName(id) }),
  key_created: (id) => t("account.didCreateKey", { name: keyName(id) }),
  key_extended: (id) => t("account.didExtendKey", { name: keyName(id) }),
  key_revoked: (id) => t("account.didRevokeKey", { name: keyName(id) }),
  key_rotated: (id) => t("account.didReplaceKey", { name: keyName(id) }),
  link_created: (id) => t("account.didLink", { id }),
  link_deleted: (id) => t("account.didUnlink", { id }),
  mailbox_deleted: (id) => t("account.didDeleteMailbox", { name: id }),
  mailbox_renamed: (id) => t("account.didRenameMailbox", { name: mailboxName(id) }),
  mailboxes_purged: (told) => purged(told),
  other_sessions_closed: () => t("account.didSignOutOthers"),
  password_changed: () => t("account.didChangePassword"),
  password_refused: () => t("account.wasRefusedPassword"),
  password_reset: () => t("account.didResetPassword"),
  session_closed: (id) => t("account.didSignOutBrowser", { name: id }),
  setup_refused: () => t("account.wasRefusedSetup"),
  sign_in_refused: () => t("account.wasRefused"),
  signed_in: () => t("account.didSignIn"),
  signed_out: () => t("account.didSignOut"),
};

/** @param {string} id */
function keyName(id) {
  return store.state.keys.rows.find((/** @type {any} */ key) => key.id === id)?.name ?? id;
}

/** @param {string} id */
function mailboxName(id) {
  for (const { mailboxes } of store.state.overview.document?.agents ?? []) {
    const found = mailboxes.find((/** @type {any} */ mailbox) => mailbox.id === id);
    if (found) return found.agent_name ? `${agentLabel(found)} (${mailboxLabel(found)})` : mailboxLabel(found);
  }
  return id;
}

/** @param {string} told As the server writes it: "empty: mailboxes: 3, messages: 12, threads: 2". */
function purged(told) {
  const found = /^(\w+): mailboxes: (\d+), messages: (\d+), threads: (\d+)$/.exec(told);
  if (!found) return t("account.didCleanUp", { what: told });
  const [mailboxes, messages, threads] = found.slice(2).map(Number);
  const what = [plural("cleanup.mailboxes", mailboxes), plural("cleanup.messages", messages), plural("cleanup.threads", threads)].join(", ");
  return t("account.didCleanUp", { what });
}
