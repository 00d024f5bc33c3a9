/** One agent of the column, with its mailboxes where it is unfolded. */

import { iconButton } from "../lib/buttons.js";
import { updateTime } from "../lib/dates.js";
import { el, newId, setAttribute, setClass, setHidden, setText } from "../lib/dom.js";
import { number, plural, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { renderKeyed } from "../lib/keyed.js";
import { isEmpty, rankedAt } from "../model/agents.js";
import { mailboxLabel } from "../model/names.js";
import { avatar } from "./avatar.js";
import { openCleanup } from "./lazy.js";
import { partyTooltip } from "./party_tooltip.js";

/**
 * @param {any} first What the column shares: `choose`, `flip`, `folds`, `route`, `chosen`.
 * @returns {any} A list item; `show(agent, context)` updates it.
 */
export function createAgent(first) {
  /** @type {any} */
  let agent;
  const listId = newId("mailboxes");
  const chevron = el(
    "button",
    { type: "button", class: "icon-button fold", "aria-controls": listId, on: { click: () => first.flip(agent.key, first.folds.open) } },
    icon("chevron"),
  );
  const row = rowParts("agent", () => first.choose(agent.name === null ? { mailbox: alone(agent).id } : { agent: agent.name }));
  const bin = binButton(() => alone(agent));
  const list = el("ul", { class: "mailboxes", id: listId });
  const more = el("button", { type: "button", class: "agents-more", on: { click: () => first.flip(agent.key) } });
  const inner = el("div", { class: "mailboxes-all" }, list, more);
  const node = el("li", { class: "agent" }, el("div", { class: "agent-line" }, chevron, row.button, bin), inner);

  node.show = (/** @type {any} */ next, /** @type {any} */ context) => {
    agent = next;
    const isChosen = context.chosen === next;
    const isOpen = next.name !== null && context.folds.open.has(next.key);
    const party = { id: alone(next).id, agent_name: next.name, display_name: next.label };
    row.show({
      party,
      label: next.label,
      title: [next.label, next.description].filter(Boolean).join("\n"),
      unread: next.unread,
      when: next.rankedAt,
      isConnected: next.isConnected,
      isChosen: isChosen && (next.name === null || !context.route.mailbox),
    });
    setClass(node, "is-chosen", isChosen);
    setHidden(chevron, next.name === null);
    setHidden(bin, next.name !== null);
    nameButton(chevron, t("agents.fold", { name: next.label }));
    nameButton(bin, t("agents.cleanup", { name: next.label }));
    setAttribute(chevron, "aria-expanded", String(isOpen));
    setHidden(inner, !isOpen);
    if (isOpen) showMailboxes(list, more, next, context);
  };
  return node;
}

/** The only mailbox, or the first one. @param {any} agent */
function alone(agent) {
  return agent.mailboxes[0] ?? agent.empties[0];
}

function showMailboxes(/** @type {HTMLElement} */ list, /** @type {HTMLElement} */ more, /** @type {any} */ agent, /** @type {any} */ context) {
  const isChosen = (/** @type {any} */ mailbox) => mailbox.id === context.route.mailbox;
  const isOpen = context.folds.empties.has(agent.key) || agent.empties.some(isChosen);
  renderKeyed(list, isOpen ? [...agent.mailboxes, ...agent.empties] : agent.mailboxes, {
    key: (mailbox) => mailbox.id,
    create: (mailbox) => createMailbox(mailbox, context),
    update: (node, mailbox) => node.show(mailbox, isChosen(mailbox)),
  });
  setHidden(more, agent.empties.length === 0);
  setAttribute(more, "aria-expanded", String(isOpen));
  setText(more, plural("agents.emptyMailboxes", agent.empties.length));
}

function createMailbox(/** @type {any} */ first, /** @type {any} */ context) {
  const row = rowParts("mailbox", () => context.choose({ mailbox: first.id }));
  const bin = binButton(() => first);
  const node = el("li", { class: "agent-line" }, row.button, bin);
  node.show = (/** @type {any} */ mailbox, /** @type {boolean} */ isChosen) => {
    const label = mailboxLabel(mailbox);
    row.show({
      party: mailbox,
      label,
      title: partyTooltip(mailbox),
      unread: mailbox.unread,
      when: rankedAt(mailbox),
      isConnected: mailbox.last_seen_at !== null,
      isChosen,
      isEmpty: isEmpty(mailbox),
    });
    nameButton(bin, t("agents.cleanup", { name: label }));
  };
  return node;
}

function binButton(/** @type {() => any} */ mailbox) {
  return iconButton("bin", "", () => void openCleanup(mailbox().id), { class: "icon-button bin" });
}

function nameButton(/** @type {HTMLElement} */ button, /** @type {string} */ label) {
  setAttribute(button, "aria-label", label);
  setAttribute(button, "title", label);
}

/** The button that filters: avatar, name, what is unread, the date that ranks it. */
function rowParts(/** @type {string} */ kind, /** @type {() => void} */ onClick) {
  const face = el("span", { class: "face" });
  const name = el("span", { class: "name one-line own-direction" });
  const note = el("span", { class: "one-line" }, t("agents.never"));
  const time = el("time");
  const unread = el("span", { class: "count", "aria-hidden": "true" });
  const said = el("span", { class: "visually-hidden" });
  const button = el(
    "button",
    { type: "button", class: `row row-${kind}`, on: { click: onClick } },
    face,
    el(
      "span",
      { class: "row-names" },
      el("span", { class: "row-line" }, name, unread, " ", said),
      el("span", { class: "row-line soft small" }, time, note),
    ),
  );
  let look = "";
  function show(/** @type {any} */ next) {
    const nextLook = `${next.label} ${next.isConnected} ${next.party.agent_name}`;
    if (look !== nextLook) face.replaceChildren(avatar(next.party, { size: kind === "agent" ? "usual" : "small", isOutlined: !next.isConnected }));
    look = nextLook;
    setText(name, next.label);
    setAttribute(button, "title", next.title);
    setAttribute(button, "aria-current", next.isChosen ? "true" : null);
    setHidden(note, next.isConnected);
    setClass(button, "is-empty", Boolean(next.isEmpty));
    setClass(button, "has-unread", next.unread > 0);
    updateTime(time, next.when);
    setText(unread, next.unread ? number(next.unread) : "");
    setText(said, next.unread ? plural("agents.unread", next.unread) : "");
  }
  return { button, show };
}
