/** The window that tells everything about one message. */

import { copyButton } from "../lib/buttons.js";
import { openDialog } from "../lib/dialog.js";
import { dateTime } from "../lib/dates.js";
import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { linkTo } from "../model/route.js";
import { store } from "../store.js";
import { stepName, stepTime } from "./trail.js";
import { priorityName } from "./priority.js";

/** @typedef {import("../model/conversation.js").Message} Message */

/** Opens it on a message of the open thread; what becomes of its copies is followed. @param {string} id */
export function openDetails(id) {
  const rows = el("tbody");
  /** @type {any} */
  let message;
  const stop = store.watch(["conversation"], () => {
    const now = store.state.conversation.messages.find((/** @type {Message} */ each) => each.id === id);
    if (!now || now === message) return;
    message = now;
    rows.replaceChildren(...now.deliveries.map(copyRow));
  });
  const { from, to, to_name: calledName } = message;
  const content = [
    el("dl", { class: "facts" }, ...messageFacts(message)),
    ...party(t("reader.from"), from),
    ...party(t("reader.recipient"), to, calledName),
    el("h3", {}, t("reader.copies")),
    copiesTable(rows),
  ];
  openDialog({ title: t("reader.details"), class: "details", content, onClose: stop });
}

/** @param {Message} message */
function messageFacts(message) {
  const { created_at: date, id, thread_id: thread } = message;
  return [
    ...fact(t("reader.subject"), message.subject),
    ...fact(t("reader.thread"), message.thread_title),
    ...fact(t("reader.threadId"), thread, { isCode: true }),
    ...fact(t("reader.messageId"), id, { isCode: true }),
    ...fact(t("reader.replyTo"), message.reply_to, { isCode: true }),
    ...fact(t("reader.correlationId"), message.correlation_id, { isCode: true }),
    ...fact(t("reader.date"), dateTime(date), { copied: date }),
    ...fact(t("reader.priority"), priorityName(message.priority), { copied: "" }),
    ...fact(t("reader.type"), typeName(message.type), { copied: "" }),
    ...fact(t("reader.link"), location.origin + location.pathname + linkTo(thread, id), { isCode: true }),
  ];
}

/** Both names of a mailbox and its address. @param {string} role @param {any} of @param {string | null} [calledName] */
function party(role, of, calledName = null) {
  const sign = of.deleted && el("span", { class: "chip is-warning" }, t("reader.deleted"));
  const facts = [
    ...fact(t("reader.agent"), of.agent_name, { role }),
    ...fact(t("reader.mailbox"), of.display_name, { role }),
    ...fact(t("reader.address"), of.id, { role, isCode: true }),
    ...fact(t("reader.toName"), calledName, { role }),
  ];
  return [el("h3", {}, role, " ", sign), el("dl", { class: "facts" }, ...facts)];
}

/**
 * A name and its value with a button that copies it, nothing where there is no value.
 *
 * @param {string} name @param {string | null} value
 * @param {{isCode?: boolean, role?: string, copied?: string}} [how] `copied` instead of the value.
 */
function fact(name, value, { isCode = false, role, copied = value ?? "" } = {}) {
  if (value === null) return [];
  const text = el("span", { class: `breaks ${isCode ? "mono" : "own-direction"}` }, value);
  const what = t("reader.quoted", { name: role ? `${name} (${role})` : name });
  return [el("dt", {}, name), el("dd", {}, text, copied && copyButton(() => copied, what))];
}

/** What became of each copy. @param {HTMLElement} rows */
function copiesTable(rows) {
  const heads = [t("reader.role"), t("reader.folder"), t("reader.state")];
  const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
  const label = t("reader.copies");
  return el("div", { class: "wide" }, el("table", { class: "copies", "aria-label": label }, el("thead", {}, head), rows));
}

/** @param {any} copy */
function copyRow(copy) {
  const isSender = copy.role === "sender";
  const taken = [["announced", copy.announced_at], ["read", copy.read_at]].filter(([, time]) => time && !isSender);
  const state = taken.map(([step, time]) => el("div", {}, t("reader.step", { step: stepName(step), time: stepTime(time) })));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, isSender ? t("reader.from") : t("reader.recipient")),
    el("td", { class: "breaks own-direction" }, copy.present ? folderName(copy.folder) : t("reader.copyGone")),
    el("td", {}, ...(state.length > 0 ? state : [stepName("stored")])),
  );
}

/** A folder of the server by its name in the person's language; one of an agent's own as it is. @param {string} folder */
function folderName(folder) {
  switch (folder) {
    case "inbox": return t("reader.inbox");
    case "sent": return t("reader.sent");
    case "archive": return t("reader.archive");
    case "trash": return t("reader.trash");
    default: return folder;
  }
}

/** @param {string} type */
function typeName(type) {
  return { request: t("reader.typeRequest"), reply: t("reader.typeReply"), ack: t("reader.typeAck") }[type] ?? t("reader.typeMessage");
}
