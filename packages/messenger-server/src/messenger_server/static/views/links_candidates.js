/** Whom the chosen mailbox may be linked with, the likeliest first, and why. */

import { linksWindow } from "../actions/links.js";
import { shortDate, timeNode } from "../lib/dates.js";
import { el, setAttribute, setHidden, setText } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { mailboxLabel } from "../model/names.js";
import { candidates, entriesOf, linksByMailbox, matches, nowOf, wholeLabel } from "../model/timeline.js";
import { store } from "../store.js";
import { avatar } from "./avatar.js";
import { link } from "./links_drag.js";

/** So many are listed of each kind; the field above finds the others. */
const MOST = 25;
const FILTER_FROM = 9;
const REASON_MAX_CHARS = 1000;

/** @param {string} id The chosen mailbox. */
export function candidateList(id) {
  /** @type {any} */
  let chosen = null;
  const reason = el("textarea", { class: "input", rows: 2, maxlength: REASON_MAX_CHARS, dir: "auto" });
  const filter = el("input", { class: "input", type: "search", "aria-label": t("links.filter"), placeholder: t("links.filter"), on: { input: () => render() } });
  const fault = el("p", { class: "field-error", role: "alert" });
  const recent = group(t("links.recent"));
  const older = group(t("links.older"));
  const none = el("p", { class: "soft" });
  const node = el(
    "section",
    { class: "candidates", "aria-label": t("links.linkTitle") },
    el("h3", {}, t("links.linkTitle")),
    el("label", { class: "field" }, el("span", { class: "field-hint" }, t("links.reason")), reason),
    filter,
    fault,
    none,
    recent.node,
    older.node,
  );

  function render() {
    const entries = entriesOf(store.state.overview.document.agents);
    const links = linksByMailbox(store.state.links.rows);
    const since = nowOf(entries) - linksWindow() * 60_000;
    const found = candidates(chosen, entries, links, since);
    const words = filter.value.trim();
    setHidden(filter, found.recent.length + found.older.length < FILTER_FROM && !words);
    const kept = (/** @type {any[]} */ list) => (words ? list.filter((each) => matches(each.mailbox, words)) : list);
    const [first, then] = [kept(found.recent), kept(found.older)];
    recent.show(first, choose);
    older.show(then, choose);
    setHidden(none, first.length + then.length > 0);
    setText(none, words ? t("links.noMatch") : t("links.nobody"));
  }

  async function choose(/** @type {any} */ entry, /** @type {HTMLButtonElement} */ button) {
    button.disabled = true;
    const wrong = await link(chosen.mailbox, entry.mailbox, reason.value);
    button.disabled = false;
    setText(fault, wrong ?? "");
    if (wrong) return;
    reason.value = "";
    // The row has gone, and with it the focus.
    if (document.activeElement === document.body) document.getElementById("links-panel")?.focus({ preventScroll: true });
  }

  return {
    node,
    /** @param {any} entry The chosen mailbox as it is now. */
    update(entry) {
      chosen = entry;
      render();
    },
    id,
  };
}

/** @param {string} title */
function group(title) {
  const list = el("ul", { class: "link-list", "aria-label": title });
  const rest = el("p", { class: "small soft" });
  const node = el("div", {}, el("h4", { class: "soft small" }, title), list, rest);
  const show = (/** @type {any[]} */ entries, /** @type {(entry: any, button: any) => void} */ choose) => {
    const more = entries.length - MOST;
    setHidden(node, entries.length === 0);
    setHidden(rest, more <= 0);
    if (more > 0) setText(rest, plural("links.rest", more));
    renderKeyed(list, entries.slice(0, MOST), {
      key: (entry) => entry.id,
      create: (entry) => candidateNode(entry, choose),
      update: updateCandidate,
    });
  };
  return { node, show };
}

/** @param {any} entry @param {(entry: any, button: any) => void} choose */
function candidateNode(entry, choose) {
  const parts = {
    name: el("span", { class: "one-line own-direction" }),
    mailbox: el("span", { class: "one-line own-direction" }),
    button: el("button", { type: "button", class: "button", on: { click: () => choose(node.entry, parts.button) } }, t("links.link")),
  };
  const facts = el("p", { class: "item-line soft small" }, parts.mailbox, timeNode(entry.mailbox.created_at, shortDate));
  const node = el("li", { class: "link-row" }, avatar(entry.mailbox, { size: "small" }), el("div", { class: "panel-names" }, el("p", { class: "item-line" }, parts.name), facts), parts.button);
  return Object.assign(node, { parts });
}

function updateCandidate(/** @type {any} */ node, /** @type {any} */ entry) {
  node.entry = entry;
  const { mailbox } = entry;
  const own = mailboxLabel(mailbox);
  setText(node.parts.name, mailbox.agent_name ?? own);
  setText(node.parts.mailbox, mailbox.agent_name ? own : "");
  setAttribute(node.parts.button, "aria-label", t("links.linkWith", { name: wholeLabel(mailbox) }));
}
