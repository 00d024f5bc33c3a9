/** A column of the timeline: an agent, its marks of the window, and below them its older mailboxes. */

import { el, setAttribute, setHidden, setText, setVar } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { agentLabel } from "../model/names.js";
import { spread } from "../model/timeline.js";
import { avatar } from "./avatar.js";
import { ageNode, itemNode, updateItem } from "./links_item.js";

/** In rem: how wide a column is, and from one mark to the next at least; in a crowd each is one line. */
const USUAL = { width: 17.5, size: 3 };
const IN_CROWD = { width: 20, size: 1.875 };
const CROWD = 7;

/** In rem: where in a column a mark begins, and what it leaves free of its width. */
const INSET = 1;
const FREE = 1.75;

const OLDER_FIRST = 3;
const OLDER_MORE = 50;

/**
 * @typedef {{scale: {base: number, pxPerMs: number}, rem: number, chosen: string | null,
 *   links: Map<string, Map<string, any>>, scroller: HTMLElement}} Timeline What all columns share.
 */

/** @returns {any} */
export function columnNode() {
  const parts = {
    face: el("span", {}),
    name: el("h2", { class: "one-line own-direction" }),
    age: ageNode("", { latest: "true" }),
    marks: el("ol", { class: "marks slides" }),
    older: el("ol", { class: "older" }),
    more: el("button", { type: "button", class: "button quiet small more" }),
  };
  const latest = el("p", { class: "soft small one-line" }, parts.age);
  const node = el(
    "li",
    { class: "column" },
    el("div", { class: "column-head" }, parts.face, el("div", { class: "one-line" }, parts.name, latest)),
    el("div", { class: "track" }, parts.marks),
    parts.older,
    parts.more,
  );
  parts.more.addEventListener("click", () => {
    node.shown = node.shown < node.column.older.length ? node.shown + OLDER_MORE : OLDER_FIRST;
    showOlder(node);
  });
  return Object.assign(node, { parts, shown: OLDER_FIRST });
}

/**
 * @param {any} node @param {import("../model/timeline.js").Column} column @param {Timeline} timeline
 * @returns {{width: number, marks: {id: string, y: number, left: number, right: number}[]}} Its width,
 *   and where links meet its marks, in pixels.
 */
export function updateColumn(node, column, timeline) {
  const { parts } = node;
  const { mailbox } = column.recent[0] ?? column.older[0];
  const label = agentLabel(mailbox);
  if (parts.name.textContent !== label) parts.face.replaceChildren(avatar(mailbox));
  setText(parts.name, label);
  setAttribute(parts.name, "title", label);
  setAttribute(parts.age, "data-at", mailbox.created_at);
  setAttribute(parts.marks, "aria-label", t("links.recentOf", { name: label }));
  setAttribute(parts.older, "aria-label", t("links.olderOf", { name: label }));
  Object.assign(node, { column, timeline });
  showOlder(node);
  return showMarks(node);
}

/** @param {any} node */
function showMarks(node) {
  const { parts, column: { recent }, timeline } = node;
  const { scale, rem, scroller } = timeline;
  const isCrowd = recent.length >= CROWD;
  const measures = isCrowd ? IN_CROWD : USUAL;
  const size = measures.size * rem;
  const placed = spread(recent, scale, size);
  setAttribute(node, "data-crowd", isCrowd);
  setVar(node, "--column", `${measures.width}rem`);
  setHidden(parts.marks, recent.length === 0);
  // The last one is still whole when it leaves the window.
  setVar(node, "--beyond", `${Math.ceil(Math.max(0, ...placed.map(({ push }) => push + size)))}px`);
  renderKeyed(parts.marks, placed, {
    key: ({ entry }) => entry.id,
    create: ({ entry }) => itemNode(entry, { isMark: true, scroller }),
    update: (item, { entry, y, push }) => {
      updateItem(item, entry, timeline);
      setVar(item, "--y", `${y}px`);
      setVar(item, "--push", `${push}px`);
    },
  });
  const ends = { left: INSET * rem, right: (measures.width - FREE + INSET) * rem };
  const marks = placed.map(({ entry, y }) => ({ id: entry.id, y: y + (IN_CROWD.size * rem) / 2, ...ends }));
  return { width: measures.width * rem, marks };
}

function showOlder(/** @type {any} */ { parts, column: { older }, timeline, shown }) {
  const { scroller } = timeline;
  const rest = older.length - shown;
  setHidden(parts.older, older.length === 0);
  renderKeyed(parts.older, older.slice(0, shown), {
    key: ({ id }) => id,
    create: (entry) => itemNode(entry, { isMark: false, scroller }),
    update: (item, entry) => updateItem(item, entry, timeline),
  });
  setHidden(parts.more, older.length <= OLDER_FIRST);
  setText(parts.more, rest > 0 ? plural("links.more", rest) : t("links.fold"));
  setAttribute(parts.more, "aria-expanded", shown > OLDER_FIRST ? "true" : "false");
  setAttribute(parts.more, "data-unfolds", rest > 0);
}
