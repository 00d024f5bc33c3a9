/** The audit trail: what was done with the account, newest first. */

import { loadAudit, loadOlderAudit } from "../actions/audit.js";
import { loadKeys } from "../actions/keys.js";
import { notify } from "../actions/notices.js";
import { dateTime, timeNode } from "../lib/dates.js";
import { el, setHidden, setText } from "../lib/dom.js";
import { language, plural, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { renderKeyed } from "../lib/keyed.js";
import { partyLabel } from "../model/names.js";
import { wholeLabel } from "../model/timeline.js";
import { store } from "../store.js";
import { section } from "./account_forms.js";
import { browserName } from "./account_sessions.js";
import { errorState, errorText, loadingState } from "./states.js";

/**
 * @typedef {{at: string, action: string, target: string | null, session: string | null,
 *   address: string | null}} AuditEvent
 */

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountAudit(parent) {
  const list = el("ol", { class: "audit" });
  const other = el("div", {});
  const own = { type: "button", class: "button", on: { click: () => void showMore(more) } };
  const more = el("button", own, t("account.more"));
  const view = section(t("account.audit"), list, other, more);
  parent.append(view);
  let shown = "";
  // Keys, links and mailboxes are there for their names.
  const stop = store.watch(["audit", "account", "keys", "links", "overview"], () => {
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
  setText(/** @type {Node} */ (row.querySelector("span")), sentence(event));
  setText(/** @type {Node} */ (row.lastChild), who(event));
}

/** From where: a browser where it is known, the network address. @param {AuditEvent} event */
function who({ session, address }) {
  const sessions = store.state.account.document?.sessions ?? [];
  const known = sessions.find((/** @type {any} */ each) => each.id === session);
  const from = known && browserName(known.user_agent);
  return [from, address ?? t("account.commandLine")].filter(Boolean).join(" · ");
}

/** @param {AuditEvent} event */
function sentence({ action, target }) {
  if (!Object.hasOwn(SENTENCES, action)) return [action, target].filter(Boolean).join(": ");
  return t(SENTENCES[action], { name: nameOf(action, target ?? "?") });
}

/** @type {Record<string, string>} */
const SENTENCES = {
  account_created: "account.didCreate",
  account_renamed: "account.didRename",
  key_changed: "account.didChangeKey",
  key_created: "account.didCreateKey",
  key_extended: "account.didExtendKey",
  key_revoked: "account.didRevokeKey",
  key_rotated: "account.didReplaceKey",
  link_created: "account.didLink",
  link_deleted: "account.didUnlink",
  mailbox_deleted: "account.didDeleteMailbox",
  mailbox_renamed: "account.didRenameMailbox",
  mailboxes_purged: "account.didCleanUp",
  other_sessions_closed: "account.didSignOutOthers",
  password_changed: "account.didChangePassword",
  password_refused: "account.wasRefusedPassword",
  password_reset: "account.didResetPassword",
  session_closed: "account.didSignOutBrowser",
  setup_refused: "account.wasRefusedSetup",
  sign_in_refused: "account.wasRefused",
  signed_in: "account.didSignIn",
  signed_out: "account.didSignOut",
};

/** What it was done to, by a name that the person knows. @param {string} action @param {string} target */
function nameOf(action, target) {
  const found = (/** @type {any[]} */ rows) => rows.find((row) => row.id === target);
  if (action === "mailboxes_purged") return purged(target);
  if (action.startsWith("key_")) return found(store.state.keys.rows)?.name ?? target;
  if (action.startsWith("link_")) {
    const link = found(store.state.links.rows);
    if (!link) return target;
    const ends = link.mailboxes.map((/** @type {any} */ end) => wholeLabel(end.mailbox));
    return new Intl.ListFormat(language()).format(ends);
  }
  const agents = store.state.overview.document?.agents ?? [];
  const mailbox = found(agents.flatMap((/** @type {any} */ agent) => agent.mailboxes));
  return mailbox ? partyLabel(mailbox, [{ ...mailbox, id: "" }]) : target;
}

/** @param {string} told As the server writes it: "empty: mailboxes: 3, messages: 12, threads: 2". */
function purged(told) {
  const found = /mailboxes: (\d+), messages: (\d+), threads: (\d+)$/.exec(told);
  if (!found) return told;
  const parts = [
    plural("cleanup.mailboxes", Number(found[1])),
    plural("cleanup.messages", Number(found[2])),
    plural("cleanup.threads", Number(found[3])),
  ];
  return parts.join(", ");
}
