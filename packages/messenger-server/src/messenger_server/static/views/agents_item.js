/** One agent of the column, with its mailboxes where it is unfolded. */

import { iconButton } from "../lib/buttons.js";
import { updateTime } from "../lib/dates.js";
import { el, newId, setAttribute, setClass, setHidden, setText } from "../lib/dom.js";
import { endMark } from "../lib/end_mark.js";
import { number, plural, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { renderKeyed } from "../lib/keyed.js";
import { isEmpty, rankedAt } from "../model/agents.js";
import { mailboxLabel } from "../model/names.js";
import { avatar } from "./avatar.js";
import { openCleanup } from "./lazy.js";
import { partyTooltip } from "./party_tooltip.js";

/** So many mailboxes of an agent are built at first, and more on scroll. */
const STEP = 100;

/**
 * @param {any} column What the column shares: `choose`, `flip`, `folds`, `route`, `chosen`, `day`.
 * @returns {any} A list item; `show(agent, column)` updates it.
 */
export function createAgent(column) {
  /** @type {any} */
  let agent;
  let shown = "";
  let most = STEP;
  const listId = newId("mailboxes");
  const flip = () => column.flip(agent.key, column.folds.open);
  const fold = iconButton("chevron", "", flip, { class: "icon-button fold", "aria-controls": listId });
  const address = () => agent.first.id;
  const filter = () => (agent.name === null ? { mailbox: address() } : { agent: agent.name });
  const row = createRow("agent", () => column.choose(filter()), address);
  const list = el("ul", { class: "mailboxes", id: listId });
  const showEmpties = { click: () => column.flip(agent.key) };
  const more = el("button", { type: "button", class: "agents-more", on: showEmpties });
  const end = endMark(() => {
    most += STEP;
    showMailboxes(column);
  });
  const inner = el("div", { class: "mailboxes-all" }, list, more, end.node);
  const node = el("li", { class: "agent" }, el("div", { class: "agent-line" }, fold, ...row.nodes), inner);

  function showMailboxes(/** @type {any} */ { folds, route }) {
    const { mailboxes, empties } = agent;
    const isChosen = (/** @type {any} */ mailbox) => mailbox.id === route.mailbox;
    const isOpen = folds.empties.has(agent.key) || empties.some(isChosen);
    const all = isOpen ? [...mailboxes, ...empties] : mailboxes;
    renderKeyed(list, all.slice(0, most), {
      key: (mailbox) => mailbox.id,
      create: (mailbox) => createMailbox(mailbox.id, column),
      update: (each, mailbox) => each.show(mailbox, isChosen(mailbox)),
    });
    setHidden(end.node, all.length <= most);
    end.look();
    setHidden(more, empties.length === 0);
    setAttribute(more, "aria-expanded", String(isOpen));
    setText(more, plural("agents.emptyMailboxes", empties.length));
  }

  node.show = (/** @type {any} */ next, /** @type {any} */ context) => {
    const isChosen = context.chosen === next;
    const isOpen = next.name !== null && context.folds.open.has(next.key);
    const isOpener = context.folds.empties.has(next.key);
    const now = [isOpen, isOpener, isChosen, isChosen && context.route.mailbox, context.day].join();
    if (agent === next && shown === now) return;
    agent = next;
    shown = now;
    row.show({
      party: { id: next.first.id, agent_name: next.name, display_name: next.label },
      label: next.label,
      title: [next.label, next.description].filter(Boolean).join("\n"),
      unread: next.unread,
      when: next.rankedAt,
      isConnected: next.isConnected,
      isChosen: isChosen && (next.name === null || !context.route.mailbox),
      hasBin: next.mailboxes.length + next.empties.length === 1,
    });
    setClass(node, "is-chosen", isChosen);
    setHidden(fold, next.name === null);
    nameButton(fold, t("agents.fold", { name: next.label }));
    setAttribute(fold, "aria-expanded", String(isOpen));
    setHidden(inner, !isOpen);
    if (isOpen) showMailboxes(context);
    else end.stop();
  };
  return node;
}

function createMailbox(/** @type {string} */ id, /** @type {any} */ column) {
  const row = createRow("mailbox", () => column.choose({ mailbox: id }), () => id);
  const node = el("li", { class: "agent-line" }, ...row.nodes);
  node.show = (/** @type {any} */ mailbox, /** @type {boolean} */ isChosen) => row.show({
    party: mailbox,
    label: mailboxLabel(mailbox),
    title: partyTooltip(mailbox),
    unread: mailbox.unread,
    when: rankedAt(mailbox),
    isConnected: mailbox.last_seen_at !== null,
    isChosen,
    isEmpty: isEmpty(mailbox),
    hasBin: true,
  });
  return node;
}

function nameButton(/** @type {HTMLElement} */ button, /** @type {string} */ label) {
  setAttribute(button, "aria-label", label);
  setAttribute(button, "title", label);
}

/**
 * The button that filters: avatar, name, what is unread, the date that ranks it; and beside it the bin.
 *
 * @param {"agent" | "mailbox"} kind @param {() => void} choose @param {() => string} address Of the
 *   mailbox that the bin is for.
 */
function createRow(kind, choose, address) {
  const face = el("span", { class: "face" });
  const name = el("span", { class: "name one-line", dir: "auto" });
  const note = el("span", { class: "one-line" }, t("agents.never"));
  const time = el("time");
  const unread = el("span", { class: "count", "aria-hidden": "true" });
  const said = el("span", { class: "visually-hidden" });
  const names = el(
    "span",
    { class: "row-names" },
    el("span", { class: "row-line" }, name, unread, " ", said),
    el("span", { class: "row-line soft small" }, time, note),
  );
  const look = { type: "button", class: `row row-${kind}` };
  const button = el("button", { ...look, on: { click: choose } }, face, names);
  const bin = iconButton("bin", "", () => void openCleanup(address()), { class: "icon-button bin" });
  let seen = "";
  function show(/** @type {any} */ next) {
    const now = `${next.label} ${next.isConnected}`;
    const size = kind === "agent" ? "usual" : "small";
    if (seen !== now) face.replaceChildren(avatar(next.party, { size, isOutlined: !next.isConnected }));
    seen = now;
    setText(name, next.label);
    setAttribute(button, "title", next.title);
    setAttribute(button, "aria-current", next.isChosen ? "true" : null);
    setHidden(note, next.isConnected);
    setClass(button, "is-empty", Boolean(next.isEmpty));
    setClass(button, "has-unread", next.unread > 0);
    updateTime(time, next.when);
    setText(unread, next.unread ? number(next.unread) : "");
    setText(said, next.unread ? plural("agents.unread", next.unread) : "");
    setHidden(bin, !next.hasBin);
    nameButton(bin, t("agents.cleanup", { name: next.label }));
  }
  return { nodes: [button, bin], show };
}
