/** Beside the timeline: the chosen mailbox, its links, and whom it may be linked with. */

import { removeLink } from "../actions/links.js";
import { navigate } from "../actions/navigation.js";
import { notify } from "../actions/notices.js";
import { copyButton, iconButton, twoStepButton } from "../lib/buttons.js";
import { shortDate, timeNode, dateTime } from "../lib/dates.js";
import { el, newId, setHidden, setText } from "../lib/dom.js";
import { language, t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { announce } from "../lib/live.js";
import { agentLabel, mailboxLabel } from "../model/names.js";
import { entriesOf, linksByMailbox, wholeLabel } from "../model/timeline.js";
import { store } from "../store.js";
import { avatar } from "./avatar.js";
import { candidateList } from "./links_candidates.js";
import { ageNode, stateText } from "./links_item.js";
import { openRename } from "./rename.js";
import { emptyState, errorText } from "./states.js";

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
    if (event.key !== "Escape" || event.defaultPrevented || !shown) return;
    event.preventDefault();
    navigate({ chosen: null });
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
  const action = el("button", { type: "button", class: "button", on: { click: () => navigate({ chosen: null }) } }, t("links.close"));
  return emptyState({ icon: "bin", title: t("links.goneTitle"), action });
}

/** @param {import("../model/timeline.js").Entry} entry */
function chosenView({ id, mailbox: first }) {
  let { mailbox } = /** @type {any} */ ({ mailbox: first });
  const rename = () => openRename(head, mailbox);
  const name = el("h2", { class: "breaks own-direction", on: { dblclick: rename } });
  const agent = el("p", { class: "soft breaks own-direction" });
  const seen = el("dd", {});
  const head = el(
    "header",
    { class: "panel-head" },
    avatar(first),
    el("div", { class: "panel-names" }, name, agent),
    iconButton("pencil", t("links.rename", { name: mailboxLabel(first) }), rename),
    iconButton("close", t("links.close"), () => navigate({ chosen: null })),
  );
  const facts = el(
    "dl",
    { class: "panel-facts" },
    ...fact(t("links.address"), el("span", { class: "mono breaks" }, id), copyButton(() => id, t("links.theAddress"))),
    ...fact(t("links.created"), timeNode(first.created_at, dateTime), " · ", ageNode(first.created_at)),
    el("dt", {}, t("links.seen")),
    seen,
  );
  const none = el("p", { class: "soft" }, t("links.none"));
  const links = el("ul", { class: "link-list" });
  const list = candidateList(id);
  const node = el("div", { class: "panel-content" }, head, facts, el("h3", {}, t("links.links")), none, links, list.node);

  function update(/** @type {import("../model/timeline.js").Entry} */ entry) {
    ({ mailbox } = entry);
    setText(name, mailboxLabel(mailbox));
    setText(agent, agentLabel(mailbox));
    setHidden(agent, agentLabel(mailbox) === mailboxLabel(mailbox));
    const seenAt = mailbox.last_seen_at;
    setText(seen, seenAt ? [shortDate(seenAt), stateText(mailbox)].filter(Boolean).join(" · ") : t("links.neverConnected"));
    const own = [...(linksByMailbox(store.state.links.rows).get(id)?.values() ?? [])];
    setHidden(none, own.length > 0);
    setHidden(links, own.length === 0);
    renderKeyed(links, own, { key: (link) => link.id, create: (link) => linkNode(link, id), update: (row, link) => updateLink(row, link, id) });
    list.update(entry);
  }

  return { node, update };
}

/** @param {string} label @param {...(Node | string)} value */
function fact(label, ...value) {
  return [el("dt", {}, label), el("dd", {}, ...value)];
}

/** @param {import("../model/timeline.js").Link} link @param {string} own The chosen mailbox. */
function linkNode(link, own) {
  const nameId = newId("link");
  const parts = {
    name: el("span", { class: "breaks own-direction", id: nameId }),
    received: el("p", { class: "small" }),
    waiting: el("p", { class: "small is-waiting" }),
  };
  const remove = twoStepButton({ label: t("links.remove"), confirm: t("links.removeSure"), class: "button danger quiet small", onConfirm: () => void part(link.id) });
  remove.setAttribute("aria-describedby", nameId);
  const note = link.note && el("p", { class: "small soft breaks", dir: "auto" }, link.note);
  const node = el(
    "li",
    { class: "link-row" },
    avatar(otherEnd(link, own).mailbox, { size: "small" }),
    el("div", { class: "panel-names" }, parts.name, parts.received, parts.waiting, note),
    remove,
  );
  return Object.assign(node, { parts });
}

/** @param {any} node @param {import("../model/timeline.js").Link} link @param {string} own */
function updateLink({ parts }, link, own) {
  const { mailbox } = otherEnd(link, own);
  const names = (/** @type {boolean} */ isReceived) => {
    const ends = link.mailboxes.filter((end) => (end.received_at !== null) === isReceived);
    return new Intl.ListFormat(language()).format(ends.map((end) => wholeLabel(end.mailbox)));
  };
  const [received, waiting] = [names(true), names(false)];
  setText(parts.name, wholeLabel(mailbox));
  setText(parts.received, received && t("links.received", { names: received }));
  setText(parts.waiting, waiting && t("links.waiting", { names: waiting }));
}

/** @param {import("../model/timeline.js").Link} link @param {string} own */
function otherEnd(link, own) {
  return link.mailboxes.find((end) => end.mailbox.id !== own) ?? link.mailboxes[0];
}

/** @param {string} id */
async function part(id) {
  try {
    await removeLink(id);
    announce(t("links.removed"));
  } catch (error) {
    notify("error", errorText(error));
  }
}
