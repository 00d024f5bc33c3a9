/** One thread of the list. */

import { navigate } from "../actions/navigation.js";
import { updateTime } from "../lib/dates.js";
import { el, setAttribute, setClass, setHidden, setText } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { agentLabel, partyLabel, withoutOverrides } from "../model/names.js";
import { avatar } from "./avatar.js";
import { partyTooltip } from "./party_tooltip.js";
import { priorityName } from "./priority.js";

/**
 * @returns {any} A list item; `show(thread, isChosen, day)` updates it, `day` being the one that dates
 *   are told from.
 */
export function createRow(/** @type {any} */ { id }) {
  const name = el("span", { class: "thread-name one-line", dir: "auto" });
  const time = el("time", { class: "soft small" });
  const line = el("span", { class: "thread-line one-line", dir: "auto" });
  const priority = el("span", { class: "chip" });
  const unread = el("span", { class: "visually-hidden" });
  const dot = el("span", { class: "unread-dot", "aria-hidden": "true" });
  const faces = el("span", { class: "thread-faces", "aria-hidden": "true" });
  const own = { type: "button", class: "thread", data: { thread: id } };
  const button = el(
    "button",
    { ...own, on: { click: () => navigate({ thread: id, message: null }) } },
    el("span", { class: "thread-top" }, name, " ", unread, " ", priority, " ", time),
    " ",
    el("span", { class: "thread-bottom" }, line, dot),
    faces,
  );
  const node = el("li", { class: "thread-item" }, button);
  let seen = "";
  /** @type {any} */
  let known;
  let knownDay = "";

  node.show = (/** @type {any} */ thread, /** @type {boolean} */ isChosen, /** @type {string} */ day) => {
    setAttribute(button, "aria-current", isChosen ? "true" : null);
    if (thread === known && day === knownDay) return;
    known = thread;
    knownDay = day;
    setClass(button, "is-unread", thread.unread_count > 0);
    setText(name, withoutOverrides(thread.title));
    setAttribute(name, "title", [thread.title, thread.description].filter(Boolean).join("\n"));
    updateTime(time, thread.last_activity_at);
    setText(line, lastLine(thread));
    setText(unread, thread.unread_count ? plural("threads.unreadCount", thread.unread_count) : "");
    setHidden(dot, thread.unread_count === 0);
    setHidden(priority, thread.priority === "normal");
    setText(priority, priorityName(thread.priority));
    setClass(priority, "is-danger", thread.priority === "urgent");
    setClass(priority, "is-warning", thread.priority === "high");
    const parties = JSON.stringify(thread.participants) + (thread.last_message?.from.id ?? "");
    if (parties !== seen) faces.replaceChildren(...thread.participants.map(faceIn(thread)));
    seen = parties;
  };
  return node;
}

/** @param {any} thread @returns {(party: any) => Node} */
function faceIn(thread) {
  return (party) => {
    const isLast = thread.last_message?.from.id === party.id;
    const title = isLast ? `${partyTooltip(party)}\n${t("threads.wroteLast")}` : partyTooltip(party);
    return el("span", { class: "thread-face", title }, avatar(party));
  };
}

/** Who wrote last, and what. @param {any} thread */
function lastLine({ last_message: last, participants }) {
  if (!last) return "";
  const isOne = participants.some((/** @type {any} */ party) => party.id === last.from.id);
  const who = isOne ? partyLabel(last.from, participants) : agentLabel(last.from);
  return t("threads.last", { who, text: last.preview || last.subject });
}
