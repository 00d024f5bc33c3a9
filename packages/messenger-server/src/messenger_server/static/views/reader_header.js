/** The head of the reader: the thread's name, who talks to whom, and what can be done with all of it. */

import { navigate } from "../actions/navigation.js";
import { openMessages } from "../actions/conversation.js";
import { copyButton, iconButton } from "../lib/buttons.js";
import { el, setAttribute, setHidden, setText } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { partyLabel, withoutOverrides } from "../model/names.js";
import { linkTo } from "../model/route.js";
import { store } from "../store.js";
import { avatar } from "./avatar.js";
import { partyTooltip } from "./party_tooltip.js";

/** A longer description may have to be scrolled. */
const ONE_LOOK = 100;

/** @returns {{node: HTMLElement, show: () => void}} `show` follows the store. */
export function readerHeader() {
  const title = el("h2", { class: "reader-title breaks own-direction", tabindex: "-1" });
  const description = el("p", { class: "reader-description breaks own-direction" });
  const parties = el("ul", { class: "reader-parties", "aria-label": t("reader.parties") });
  const count = el("span");
  const namedBy = el("span", { class: "own-direction" });
  const all = el("button", { type: "button", class: "button quiet reader-all", on: { click: toggleAll } });
  const back = iconButton("back", t("reader.back"), () => navigate({ thread: null, message: null }), { class: "icon-button reader-back" });
  const link = () => location.origin + location.pathname + linkTo(store.state.conversation.id);
  const node = el(
    "header",
    { class: "reader-header" },
    el("div", { class: "reader-line" }, back, title, copyButton(link, t("reader.theThreadLink"))),
    description,
    el("div", { class: "reader-line soft small" }, parties, el("span", { class: "breaks" }, count, namedBy), all),
  );

  function show() {
    const { thread, messages } = store.state.conversation;
    setHidden(node, thread === null);
    if (thread === null) return;
    setText(title, withoutOverrides(thread.title));
    setText(description, thread.description ?? "");
    setHidden(description, !thread.description);
    setAttribute(description, "tabindex", (thread.description ?? "").length > ONE_LOOK ? 0 : null);
    renderKeyed(parties, thread.participants, { key: (party) => party.id, create: partyNode, update: (item, party) => item.show(party, thread.participants) });
    setText(count, plural("reader.count", thread.message_count));
    setText(namedBy, thread.named_by ? ` · ${t("reader.namedBy", { name: partyLabel(thread.named_by, thread.participants) })}` : "");
    setText(all, isAllOpen() ? t("reader.foldAll") : t("reader.openAll"));
    setHidden(all, messages.length < 2);
  }
  return { node, show };
}

/** One side: its name, its address, a button that copies it. */
function partyNode(/** @type {any} */ party) {
  const face = el("span", { "aria-hidden": "true" }, avatar(party, { size: "small" }));
  const name = el("span", { class: "reader-party one-line own-direction" });
  const address = el("span", { class: "mono one-line" }, party.id);
  const copy = copyButton(() => party.id, t("reader.theAddress", { role: party.display_name ?? party.agent_name ?? party.id }));
  const node = el("li", {}, face, name, address, copy);
  node.show = (/** @type {any} */ now, /** @type {any[]} */ parties) => {
    const label = partyLabel(now, parties);
    setText(name, label);
    setHidden(name, label === now.id);
    setAttribute(node, "title", partyTooltip(now));
  };
  return node;
}

function isAllOpen() {
  const { conversation, openMessages: open } = store.state;
  return conversation.messages.every((/** @type {any} */ message) => Object.hasOwn(open, message.id));
}

function toggleAll() {
  const ids = store.state.conversation.messages.map((/** @type {any} */ message) => message.id);
  const isOpening = !isAllOpen();
  openMessages(ids, isOpening);
  if (!isOpening) navigate({ message: null }, { replace: true });
}
