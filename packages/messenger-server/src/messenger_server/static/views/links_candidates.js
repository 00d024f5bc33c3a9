/** Whom the chosen mailbox may be linked with, the likeliest first, and why. */

import { linksWindow } from "../actions/links.js";
import { shortDate, timeNode } from "../lib/dates.js";
import { el, setAttribute, setHidden, setText } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { mailboxLabel } from "../model/names.js";
import { candidates, entriesOf, linksByMailbox, matches, wholeLabel } from "../model/timeline.js";
import { store } from "../store.js";
import { avatar } from "./avatar.js";
import { link } from "./links_drag.js";

/** So many are listed; the field above finds the others. */
const MOST = 40;
const FILTER_FROM = 9;
const REASON_MAX_CHARS = 1000;

/** @returns {{node: HTMLElement, update: (entry: import("../model/timeline.js").Entry) => void}} */
export function candidateList() {
  /** @type {any} */
  let chosen = null;
  const title = t("links.linkTitle");
  const reason = el("textarea", { class: "input", rows: 2, maxlength: REASON_MAX_CHARS, dir: "auto" });
  const hint = t("links.filter");
  const filter = el("input", { class: "input", type: "search", "aria-label": hint, placeholder: hint });
  const fault = el("p", { class: "field-error", role: "alert" });
  const list = el("ul", { "aria-label": title });
  const rest = el("p", { class: "small soft" });
  const why = el("label", { class: "field" }, el("span", { class: "field-hint" }, t("links.reason")), reason);
  const head = el("h3", {}, title);
  const node = el("div", { class: "panel-content candidates" }, head, why, filter, fault, list, rest);

  function render() {
    const entries = entriesOf(store.state.overview.document.agents);
    const all = candidates(chosen, entries, linksByMailbox(store.state.links.rows), linksWindow());
    const words = filter.value.trim();
    const found = words ? all.filter(({ mailbox }) => matches(mailbox, words)) : all;
    setHidden(filter, all.length < FILTER_FROM);
    renderKeyed(list, found.slice(0, MOST), { key: ({ id }) => id, create, update });
    setHidden(list, found.length === 0);
    setText(rest, restText(all.length, found.length));
  }

  function create() {
    const name = el("p", { class: "one-line own-direction" });
    const own = el("span", { class: "one-line own-direction" });
    const facts = el("p", { class: "item-line soft small" }, own);
    const button = el("button", { type: "button", class: "button", on: { click: choose } }, t("links.link"));
    const face = el("span", {});
    const texts = el("div", { class: "panel-names" }, name, facts);
    const row = el("li", { class: "link-row" }, face, texts, button);

    async function choose() {
      button.disabled = true;
      const wrong = await link(chosen.mailbox, row.entry.mailbox, reason.value);
      button.disabled = false;
      setText(fault, wrong ?? "");
      if (wrong) return;
      reason.value = "";
      if (document.activeElement !== document.body) return;
      // The row has gone, and with it the focus.
      document.getElementById("links-panel")?.focus({ preventScroll: true });
    }

    return Object.assign(row, { parts: { face, name, own, facts, button } });
  }

  filter.addEventListener("input", render);
  return {
    node,
    update(entry) {
      chosen = entry;
      render();
    },
  };
}

/** @param {any} row @param {import("../model/timeline.js").Entry} entry */
function update(row, entry) {
  const { mailbox } = entry;
  const { face, name, own, facts, button } = row.parts;
  if (!row.entry) {
    face.replaceWith(avatar(mailbox, { size: "small" }));
    facts.append(timeNode(mailbox.created_at, shortDate));
  }
  row.entry = entry;
  setText(name, mailbox.agent_name ?? mailboxLabel(mailbox));
  setText(own, mailbox.agent_name ? mailboxLabel(mailbox) : "");
  setAttribute(button, "aria-label", t("links.linkWith", { name: wholeLabel(mailbox) }));
}

/** @param {number} all @param {number} found */
function restText(all, found) {
  if (all === 0) return t("links.nobody");
  if (found === 0) return t("links.noMatch");
  return found > MOST ? plural("links.rest", found - MOST) : "";
}
