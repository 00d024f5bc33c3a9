/** The browsers that are signed in; each can be signed out. */

import { closeOtherSessions, closeSession } from "../actions/account.js";
import { notify } from "../actions/notices.js";
import { twoStepButton } from "../lib/buttons.js";
import { relative, timeNode, updateTime } from "../lib/dates.js";
import { el, setHidden } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { readUserAgent } from "../model/user_agents.js";
import { store } from "../store.js";
import { section } from "./account_forms.js";
import { errorText } from "./states.js";

/**
 * @typedef {{id: string, current: boolean, created_at: string, last_seen_at: string, expires_at: string,
 *   address: string | null, user_agent: string | null}} Session
 */

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes them away.
 */
export function mountSessions(parent) {
  const list = el("ul", { class: "sessions" });
  const others = twoStepButton({
    label: t("account.signOutOthers"),
    confirm: t("account.signOutOthersConfirm"),
    onConfirm: () => void run(closeOtherSessions),
  });
  const view = section(t("account.sessions"), list, others);
  parent.append(view);
  const stop = store.watch(["account"], () => {
    /** @type {Session[]} */
    const sessions = store.state.account.document?.sessions ?? [];
    setHidden(others, sessions.length < 2);
    renderKeyed(list, sessions, { key: (session) => session.id, create: sessionRow, update: updateSession });
  });
  return () => {
    stop();
    view.remove();
  };
}

/** A browser as a person calls it, its system with it. @param {string | null} userAgent */
export function browserName(userAgent) {
  const { browser, system } = readUserAgent(userAgent);
  if (browser && system) return t("account.browserOn", { browser, system });
  return browser ?? system ?? t("account.unknownBrowser");
}

/** @param {Session} session */
function sessionRow(session) {
  const name = browserName(session.user_agent);
  const fact = (/** @type {string} */ label, /** @type {Node | string} */ value) => {
    return el("div", {}, el("dt", {}, label), el("dd", {}, value));
  };
  return el(
    "li",
    { class: "session" },
    el(
      "p",
      { class: "session-name", title: session.user_agent ?? "" },
      el("span", {}, name),
      session.current && el("span", { class: "chip is-success" }, t("account.thisBrowser")),
    ),
    el(
      "dl",
      { class: "session-facts" },
      session.address && fact(t("account.address"), session.address),
      fact(t("account.since"), timeNode(session.created_at)),
      fact(t("account.expires"), timeNode(session.expires_at)),
      fact(t("account.lastSeen"), timeNode(session.last_seen_at, relative)),
    ),
    twoStepButton({
      label: t("account.signOut"),
      confirm: t("account.signOutConfirm"),
      onConfirm: () => void run(() => closeSession(session)),
    }),
  );
}

function updateSession(/** @type {HTMLElement} */ row, /** @type {Session} */ session) {
  const seen = /** @type {HTMLElement} */ (row.querySelector("div:last-child > dd > time"));
  updateTime(seen, session.last_seen_at, relative);
}

/** @param {() => Promise<unknown>} act */
async function run(act) {
  try {
    await act();
  } catch (error) {
    notify("error", errorText(error));
  }
}
