/** Beside the timeline: the chosen mailbox, its links, and whom it may be linked with. */

import { navigate } from "../actions/navigation.js";
import { copyButton, iconButton } from "../lib/buttons.js";
import { dateTime, shortDate, timeNode } from "../lib/dates.js";
import { el, isTyping, setText } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { mailboxLabel } from "../model/names.js";
import { entriesOf } from "../model/timeline.js";
import { store } from "../store.js";
import { avatar } from "./avatar.js";
import { candidateList } from "./links_candidates.js";
import { ageNode, nameButton, stateText } from "./links_item.js";
import { linkList } from "./links_list.js";
import { openRename } from "./rename.js";
import { emptyState } from "./states.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountPanel(parent) {
  /** @type {string | null | undefined} */
  let shown;
  /** @type {ReturnType<typeof chosenView> | null} */
  let view = null;

  function render() {
    const { overview: { document }, route: { tab, chosen } } = store.state;
    if (!document || tab !== "links") return;
    const entry = entriesOf(document.agents).find((/** @type {any} */ { id }) => id === chosen) ?? null;
    const key = entry ? entry.id : chosen && "gone";
    if (key !== shown) {
      const before = shown;
      shown = key;
      view = entry && chosenView(entry);
      parent.replaceChildren(view ? view.node : nothingChosen(key === "gone"));
      if (before !== undefined) moveFocus(parent, shown ? null : before);
    }
    if (entry) view?.update(entry);
  }

  parent.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !shown || isTyping(event.target)) return;
    event.preventDefault();
    leave();
  });
  return store.watch(["overview", "links", "route"], render);
}

/**
 * A panel that closes with the focus in it gives it back to the mark; where the timeline has gone, the
 * panel takes it.
 *
 * @param {HTMLElement} parent @param {string | null} closed The mailbox that was chosen.
 */
function moveFocus(parent, closed) {
  queueMicrotask(() => {
    const focused = document.activeElement;
    const mark = closed && document.querySelector(`[data-mailbox="${CSS.escape(closed)}"] .item-body`);
    const isLost = focused === document.body || !focused?.checkVisibility();
    if (mark instanceof HTMLElement && (isLost || focused === parent)) mark.focus();
    else if (isLost) parent.focus();
  });
}

/** @param {boolean} isGone */
function nothingChosen(isGone) {
  const texts = { title: t("links.chooseTitle"), text: t("links.chooseText") };
  if (!isGone) return emptyState({ icon: "link", ...texts });
  const action = el("button", { type: "button", class: "button", on: { click: leave } }, t("links.close"));
  return emptyState({ icon: "bin", title: t("links.goneTitle"), action });
}

/** @param {import("../model/timeline.js").Entry} entry */
function chosenView({ id, mailbox: first }) {
  /** @type {any} */
  let mailbox;
  const rename = () => openRename(head, mailbox);
  const name = el("h2", { class: "breaks own-direction", on: { dblclick: rename } });
  const agent = el("p", { class: "soft breaks own-direction" });
  const seen = el("dd", {});
  const pencil = iconButton("pencil", "", rename);
  const close = iconButton("close", t("links.close"), leave);
  const names = el("div", { class: "panel-names" }, name, agent);
  const head = el("header", { class: "panel-head" }, avatar(first), names, pencil, close);
  const facts = el(
    "dl",
    { class: "panel-facts" },
    el("dt", {}, t("links.address")),
    el("dd", {}, el("span", { class: "mono breaks" }, id), copyButton(() => id, t("links.theAddress"))),
    el("dt", {}, t("links.created")),
    el("dd", {}, timeNode(first.created_at, dateTime), " · ", ageNode(first.created_at)),
    el("dt", {}, t("links.seen")),
    seen,
  );
  const links = linkList(id);
  const others = candidateList();
  const title = el("h3", {}, t("links.links"));
  const node = el("div", { class: "panel-content" }, head, facts, title, links.node, others.node);

  /** @param {import("../model/timeline.js").Entry} entry */
  function update(entry) {
    ({ mailbox } = entry);
    const label = mailboxLabel(mailbox);
    setText(name, label);
    setText(agent, mailbox.agent_name ?? "");
    nameButton(pencil, t("links.rename", { name: label }));
    const at = mailbox.last_seen_at;
    setText(seen, [at && shortDate(at), stateText(mailbox)].filter(Boolean).join(" · "));
    links.update();
    others.update(entry);
  }

  return { node, update };
}

function leave() {
  navigate({ chosen: null });
}
