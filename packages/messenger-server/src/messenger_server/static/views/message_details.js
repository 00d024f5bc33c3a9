/** The window that tells everything about one message. */

import { copyButton } from "../lib/buttons.js";
import { openDialog } from "../lib/dialog.js";
import { dateTime } from "../lib/dates.js";
import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { writeRoute } from "../model/route.js";
import { store } from "../store.js";
import { stepName, stepTime } from "./trail.js";

/** @typedef {import("../model/conversation.js").Message} Message */

/** Opens it on a message of the open thread; what becomes of its copies is followed. @param {string} id */
export function openDetails(id) {
  const find = () => store.state.conversation.messages.find((/** @type {Message} */ message) => message.id === id);
  let message = find();
  const rows = el("tbody");
  const show = () => {
    const now = find() ?? message;
    if (now === message && rows.childElementCount > 0) return;
    message = now;
    rows.replaceChildren(...now.deliveries.map(copyRow));
  };
  const stop = store.watch(["conversation"], show);
  openDialog({
    title: t("reader.details"),
    class: "details",
    content: [facts(message), el("h3", {}, t("reader.copies")), copiesTable(rows)],
    onClose: stop,
  });
}

/** @param {Message} message */
function facts(message) {
  const { type, priority } = message;
  return el(
    "dl",
    { class: "facts" },
    ...fact(t("reader.subject"), message.subject, t("reader.theSubject")),
    ...fact(t("reader.thread"), message.thread_title, t("reader.theThreadName")),
    ...fact(t("reader.threadId"), message.thread_id, t("reader.theThreadId"), true),
    ...fact(t("reader.messageId"), message.id, t("reader.theMessageId"), true),
    ...fact(t("reader.replyTo"), message.reply_to, t("reader.theReplyTo"), true),
    ...fact(t("reader.correlationId"), message.correlation_id, t("reader.theCorrelationId"), true),
    ...fact(t("reader.date"), dateTime(message.created_at), t("reader.theDate"), false, message.created_at),
    ...fact(t("reader.priority"), priorityName(priority)),
    ...fact(t("reader.type"), typeName(type)),
    ...fact(t("reader.link"), linkTo(message), t("reader.theLink"), true),
    ...partyFacts(t("reader.from"), message.from),
    ...partyFacts(t("reader.recipient"), message.to, message.to_name),
  );
}

/**
 * A name and its value, nothing where there is no value.
 *
 * @param {string} name @param {string | null} value @param {string} [what] As its copy button says it.
 * @param {boolean} [isCode] @param {string} [copied] Instead of the value.
 */
function fact(name, value, what, isCode = false, copied = value ?? "") {
  if (value === null) return [];
  const text = el("span", { class: `${isCode ? "mono" : "own-direction"} breaks` }, value);
  return [el("dt", {}, name), el("dd", {}, text, what && copyButton(() => copied, what))];
}

/** Both names of a mailbox and its address. @param {string} role @param {any} party @param {string | null} [calledName] */
function partyFacts(role, party, calledName = null) {
  return [
    el("dt", { class: "facts-head" }, role),
    el("dd", { class: "facts-head" }, party.deleted && el("span", { class: "chip is-warning" }, t("reader.deleted"))),
    ...fact(t("reader.agent"), party.agent_name, t("reader.theAgent", { role })),
    ...fact(t("reader.mailbox"), party.display_name, t("reader.theMailbox", { role })),
    ...fact(t("reader.address"), party.id, t("reader.theAddress", { role }), true),
    ...fact(t("reader.toName"), calledName, t("reader.theToName")),
  ];
}

/** What became of each copy. @param {HTMLElement} rows */
function copiesTable(rows) {
  const heads = [t("reader.role"), t("reader.folder"), t("reader.state")];
  const head = el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text))));
  const table = el("table", { class: "copies", "aria-label": t("reader.copies") }, head, rows);
  return el("div", { class: "wide", role: "group", tabindex: "0", "aria-label": t("reader.copies") }, table);
}

function copyRow(/** @type {any} */ copy) {
  const isRecipient = copy.role === "recipient";
  const steps = isRecipient ? [["announced", copy.announced_at], ["read", copy.read_at]] : [];
  const taken = steps.filter(([, time]) => time !== null);
  const state = taken.map(([step, time]) => el("div", {}, t("reader.step", { step: stepName(step), time: stepTime(time) })));
  const folder = copy.present ? folderName(copy.folder) : t("reader.copyGone");
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, isRecipient ? t("reader.recipient") : t("reader.from")),
    el("td", { class: "breaks own-direction" }, folder),
    el("td", {}, ...(state.length > 0 ? state : [stepName("stored")])),
  );
}

/** A folder of the server by its name in the person's language; one of an agent's own as it is. */
function folderName(/** @type {string} */ folder) {
  const known = {
    inbox: t("reader.inbox"), sent: t("reader.sent"), archive: t("reader.archive"), trash: t("reader.trash"),
  };
  return Object.hasOwn(known, folder) ? known[/** @type {keyof typeof known} */ (folder)] : folder;
}

function priorityName(/** @type {string} */ priority) {
  return { low: t("reader.low"), normal: t("reader.normal"), high: t("reader.high"), urgent: t("reader.urgent") }[priority];
}

function typeName(/** @type {string} */ type) {
  return { message: t("reader.typeMessage"), request: t("reader.typeRequest"), reply: t("reader.typeReply"), ack: t("reader.typeAck") }[type];
}

/** Where a link to this message leads. @param {Message} message */
function linkTo(message) {
  const route = { ...store.state.route, tab: "threads", agent: null, mailbox: null, filter: "all", search: "" };
  const query = writeRoute({ ...route, thread: message.thread_id, message: message.id });
  return location.origin + location.pathname + query;
}
