/** The mailboxes of a preview, each with a tick. */

import { timeNode } from "../lib/dates.js";
import { el, setClass } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { agentLabel, mailboxLabel } from "../model/names.js";
import { avatar } from "./avatar.js";
import { addressNode } from "./cleanup_parts.js";

/** @typedef {import("../model/cleanup.js").Row} Row */

/**
 * The list, everything ticked.
 *
 * @param {Row[]} rows @param {() => void} onTick
 * @returns {{node: HTMLElement, ticked: () => Row[], mark: (changed: Row[]) => void,
 *   untick: (changed: Row[]) => void}} `mark` shows which ones no longer meet the criterion.
 */
export function cleanupList(rows, onTick) {
  const nodes = new Map(rows.map((row) => [row, rowNode(row)]));
  const box = (/** @type {Row} */ row) => nodes.get(row).querySelector("input");
  const all = el("input", { type: "checkbox", checked: true });
  const ticked = () => rows.filter((row) => box(row).checked);
  const tick = (/** @type {Row[]} */ some, /** @type {boolean} */ isTicked) => {
    for (const row of some) box(row).checked = isTicked;
    tell();
  };
  const tell = () => {
    const count = ticked().length;
    all.checked = count === rows.length;
    all.indeterminate = count > 0 && !all.checked;
    onTick();
  };
  const head = el(
    "div",
    { class: "cleanup-head" },
    el("label", { class: "check", on: { change: () => tick(rows, all.checked) } }, all, t("cleanup.all")),
    el("span", { class: "soft" }, plural("cleanup.found", rows.length)),
  );
  return {
    node: el("div", {}, head, el("ul", { role: "list", on: { change: tell } }, ...nodes.values())),
    ticked,
    untick: (changed) => tick(changed, false),
    mark(changed) {
      for (const [row, node] of nodes) setClass(node, "is-changed", changed.includes(row));
      nodes.get(changed[0])?.scrollIntoView({ block: "nearest" });
    },
  };
}

/** @param {Row} row */
function rowNode(row) {
  const { agent_name: agent, display_name: name, last_activity_at: active } = row;
  return el(
    "li",
    { class: "cleanup-row" },
    el(
      "label",
      { class: "check" },
      el("input", { type: "checkbox", checked: true }),
      avatar(row, { size: "small", isOutlined: row.last_seen_at === null }),
      el("span", { class: "one-line own-direction" }, agentLabel(row)),
      " ",
      agent && name && el("span", { class: "one-line own-direction soft" }, mailboxLabel(row)),
      // Beside it stands the address; who does not see it hears it where no name tells which one it is.
      agent && !name && el("span", { class: "visually-hidden" }, row.id),
      el("span", { class: "chip is-warning" }, t("cleanup.changed")),
    ),
    addressNode(row.id),
    el("span", { class: "cleanup-count" }, plural("cleanup.messages", row.message_count)),
    el(
      "span",
      { class: "cleanup-dates soft small" },
      el("span", {}, t("cleanup.made"), " ", timeNode(row.created_at)),
      el("span", {}, ...(active ? [t("cleanup.active"), " ", timeNode(active)] : [t("cleanup.neverActive")])),
    ),
  );
}
