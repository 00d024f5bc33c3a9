/** One message of the reader: a band that opens and closes it, and its body below. */

import { loadBody } from "../actions/conversation.js";
import { iconButton } from "../lib/buttons.js";
import { shortDate, timeNode, timeOfDay, updateTime } from "../lib/dates.js";
import { el, newId, setAttribute, setClass, setHidden, setText } from "../lib/dom.js";
import { fileSize, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { renderTree } from "../lib/markdown.js";
import { partyLabel, withoutOverrides } from "../model/names.js";
import { avatar } from "./avatar.js";
import { openDetails } from "./lazy.js";
import { partyTooltip } from "./party_tooltip.js";
import { priorityName } from "./priority.js";
import { errorState } from "./states.js";
import { showTrail, trailSign } from "./trail.js";

/** The heading of a message; those of its body go below. */
const LEVEL = 3;

/**
 * A message, folded.
 *
 * @param {import("../model/conversation.js").Message} first
 * @param {{whenNear: (node: Element) => void, onToggle: (id: string, isOpen: boolean) => void}} how
 *   `whenNear` has `node.wake` called once it comes near to what is in sight.
 * @returns {any} A list item; `show({message, isOpen, body, parties})` updates it.
 */
export function messageNode(first, { whenNear, onToggle }) {
  const id = newId("message-body");
  const toggle = () => onToggle(first.id, band.button.getAttribute("aria-expanded") !== "true");
  const band = bandParts(id, toggle);
  const body = el("div", { class: "message-body", id, hidden: true });
  const details = iconButton("info", t("reader.details"), () => openDetails(first.id));
  const head = el("div", { class: "message-head" }, el("h3", {}, band.button), details);
  const node = el("li", { class: "message", data: { message: first.id } }, head, body);
  let isAwake = false;
  /** @type {any} */
  let shown = {};

  node.wake = () => {
    isAwake = true;
    void loadBody(first.id);
    showBody(body, shown.body, first.id);
  };
  node.show = (/** @type {any} */ next) => {
    if (Object.keys(next).every((key) => next[key] === shown[key])) return; // of thousands one changes
    if (next.message !== shown.message || next.parties !== shown.parties) band.show(next);
    shown = next;
    setAttribute(band.button, "aria-expanded", String(next.isOpen));
    setClass(node, "is-open", next.isOpen);
    setHidden(body, !next.isOpen);
    if (next.isOpen && !isAwake) whenNear(node);
    if (isAwake) showBody(body, next.body, first.id);
  };
  return node;
}

/** @param {string} controls @param {() => void} onClick */
function bandParts(controls, onClick) {
  const face = el("span", { class: "band-face", "aria-hidden": "true" });
  const from = el("span", { class: "own-direction" });
  const to = el("span", { class: "own-direction" });
  const arrow = el("span", { "aria-hidden": "true" }, " → ");
  const said = el("span", { class: "visually-hidden" }, ` ${t("reader.to")} `);
  const names = el("span", { class: "band-names one-line" }, from, arrow, said, to);
  const signs = el("span", { class: "band-signs" });
  const trail = trailSign();
  const time = el("time", { class: "band-time" });
  const subject = el("span", { class: "band-subject one-line own-direction" });
  const own = { type: "button", class: "band", "aria-expanded": "false", "aria-controls": controls };
  const button = el("button", { ...own, on: { click: onClick } }, face, names, " ", trail, " ", time, " ", subject, " ", signs);

  function show(/** @type {any} */ { message, parties }) {
    const title = partyTooltip(message.from);
    if (face.title !== title) face.replaceChildren(avatar(message.from));
    setAttribute(face, "title", title);
    setText(from, partyLabel(message.from, parties));
    setText(to, partyLabel(message.to, parties));
    setAttribute(to, "title", partyTooltip(message.to));
    showTrail(trail, message);
    updateTime(time, message.created_at, dayAndTime);
    setText(subject, withoutOverrides(message.subject));
    if (signs.childElementCount === 0) signs.append(...signsOf(message));
  }
  return { button, show };
}

/** What never changes of a message: its priority, and whether files came with it. @param {any} message */
function signsOf({ has_attachments: hasFiles, priority }) {
  const label = t("reader.hasFiles");
  const look = { urgent: " is-danger", high: " is-warning" }[priority] ?? "";
  return [
    hasFiles && el("span", { class: "soft", role: "img", "aria-label": label, title: label }, icon("clip")),
    priority !== "normal" && el("span", { class: `chip${look}` }, priorityName(priority)),
  ].filter(Boolean);
}

/** The time today, else the day too. @param {string} iso */
function dayAndTime(iso) {
  const day = shortDate(iso);
  const time = timeOfDay(iso);
  return day === time ? time : t("reader.dayTime", { day, time });
}

/** Shows what is known of a body: a body itself is built once. */
function showBody(/** @type {any} */ node, /** @type {any} */ body, /** @type {string} */ id) {
  if (!body || body.status === node.shown) return;
  node.shown = body.status;
  if (body.status === "loading") {
    node.replaceChildren(el("div", { class: "body-skeleton", role: "status", "aria-label": t("common.loading") }));
  } else if (body.status === "failed") {
    node.replaceChildren(errorState(body.error, () => void loadBody(id)));
  } else {
    const text = el("div", { class: "prose" });
    node.replaceChildren(text, ...filesOf(body.message));
    renderTree(text, body.message.body_tree, LEVEL);
  }
}

/** One link for each file. @param {import("../model/conversation.js").Message} message */
function filesOf(message) {
  if (message.attachments.length === 0) return [];
  const rows = message.attachments.map((file) => el("li", {}, fileLink(file)));
  return [el("ul", { class: "files", "aria-label": t("reader.files") }, ...rows)];
}

/** @param {{id: string, filename: string, size: number}} file */
function fileLink(file) {
  const own = { class: "file", href: `/admin/attachments/${encodeURIComponent(file.id)}`, download: withoutOverrides(file.filename) };
  return el(
    "a",
    own,
    icon("clip"),
    el("span", { class: "file-name own-direction" }, withoutOverrides(file.filename)),
    " ",
    el("span", { class: "soft" }, fileSize(file.size)),
  );
}
