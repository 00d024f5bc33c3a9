/** A mailbox of the timeline: a mark at its height, or a row of the stack below. */

import { navigate } from "../actions/navigation.js";
import { iconButton } from "../lib/buttons.js";
import { dateTime, relative, timeNode, timeOfDay } from "../lib/dates.js";
import { el, setAttribute, setHidden, setText } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { mailboxLabel } from "../model/names.js";
import { startLinkDrag } from "./links_drag.js";
import { partyTooltip } from "./party_tooltip.js";
import { openRename } from "./rename.js";

/** @param {string} iso */
const seconds = (iso) => timeOfDay(iso, { seconds: true });

/**
 * @param {import("../model/timeline.js").Entry} entry
 * @param {{isMark: boolean, scroller: HTMLElement}} where
 */
export function itemNode({ id, mailbox }, { isMark, scroller }) {
  const rename = () => openRename(node, node.entry.mailbox);
  const name = el("span", { class: "one-line own-direction" });
  const rank = el("span", { class: "soft small" });
  const state = el("span", { class: "item-state soft small" });
  const count = el("span", {});
  const links = el("span", { class: "item-links small" }, icon("link"), count);
  const at = mailbox.created_at;
  const time = timeNode(at, isMark ? seconds : dateTime);
  const body = el(
    "button",
    { type: "button", class: "item-body", on: { click: choose, dblclick: rename } },
    el("span", { class: "item-line" }, rank, name, state, links),
    el("span", { class: "item-line soft small" }, time, ageNode(at)),
  );
  const pencil = iconButton("pencil", "", rename);
  const title = t("links.handle");
  const handle = el("span", { class: "handle", title, on: { pointerdown: drag } }, icon("handle"));
  const tools = el("span", { class: "item-tools" }, pencil, handle);
  const node = el("li", { class: isMark ? "item mark" : "item", data: { mailbox: id } }, body, tools);
  node.parts = { name, rank, state, links, count, body, pencil };

  /** @param {MouseEvent} event */
  function choose(event) {
    navigate({ chosen: id });
    if (event.detail === 0) document.getElementById("links-panel")?.focus(); // by the keyboard
  }

  /** @param {PointerEvent} event */
  function drag(event) {
    if (event.button === 0) startLinkDrag(event, node, scroller);
  }

  return node;
}

/**
 * @param {any} node @param {import("../model/timeline.js").Entry} entry
 * @param {{links: Map<string, Map<string, any>>, chosen: string | null}} timeline
 */
export function updateItem(node, entry, { links, chosen }) {
  node.entry = entry;
  const { mailbox, id } = entry;
  const { parts } = node;
  const count = links.get(id)?.size ?? 0;
  const label = mailboxLabel(mailbox);
  const state = stateText(mailbox);
  const rank = t("links.rank", { rank: entry.rank });
  setText(parts.name, label);
  setText(parts.rank, rank);
  setText(parts.state, state);
  setHidden(parts.links, count === 0);
  setText(parts.count, String(count));
  const whole = [label, rank, dateTime(mailbox.created_at), state, count && plural("links.count", count)];
  setAttribute(parts.body, "aria-label", whole.filter(Boolean).join(", "));
  setAttribute(parts.body, "title", partyTooltip(mailbox));
  setAttribute(parts.body, "aria-current", id === chosen && "true");
  nameButton(parts.pencil, t("links.rename", { name: label }));
}

/** Names a button that shows an icon alone. @param {HTMLElement} button @param {string} name */
export function nameButton(button, name) {
  setAttribute(button, "aria-label", name);
  setAttribute(button, "title", name);
}

/**
 * Whether a watcher is armed, or nobody ever came.
 *
 * @param {import("../model/timeline.js").Mailbox} mailbox
 */
export function stateText({ watcher, last_seen_at: seen }) {
  if (watcher.armed) return t("links.armed");
  return seen ? "" : t("links.neverConnected");
}

/** An age that `tickAges` keeps true. @param {string} iso @param {Record<string, string>} [more] */
export function ageNode(iso, more = {}) {
  return el("span", { class: "age", data: { at: iso, ...more } }, relative(iso));
}

/** Writes every age anew that reads differently by now. @param {HTMLElement} root @param {number} nowMs */
export function tickAges(root, nowMs) {
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".age"))) {
    const { at = "", latest } = node.dataset;
    const age = relative(at, Math.max(nowMs, Date.parse(at)));
    setText(node, latest ? t("links.latest", { age }) : age);
  }
}
