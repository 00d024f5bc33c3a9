/** The links of the chosen mailbox: with whom, who knows of it already, and the way to remove one. */

import { removeLink } from "../actions/links.js";
import { notify } from "../actions/notices.js";
import { twoStepButton } from "../lib/buttons.js";
import { el, newId, setHidden, setText } from "../lib/dom.js";
import { language, t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { announce } from "../lib/live.js";
import { linksByMailbox, wholeLabel } from "../model/timeline.js";
import { store } from "../store.js";
import { avatar } from "./avatar.js";
import { errorText } from "./states.js";

/** @param {string} id The chosen mailbox. */
export function linkList(id) {
  const none = el("p", { class: "soft" }, t("links.none"));
  const list = el("ul", { "aria-label": t("links.links") });
  const node = el("div", {}, none, list);

  function update() {
    const links = [...(linksByMailbox(store.state.links.rows).get(id) ?? [])];
    setHidden(none, links.length > 0);
    setHidden(list, links.length === 0);
    renderKeyed(list, links, { key: ([, link]) => link.id, create: linkNode, update: updateLink });
  }

  return { node, update };
}

/** @param {[string, import("../model/timeline.js").Link]} entry The other's address, and the link. */
function linkNode([other, link]) {
  const id = newId("link");
  const name = el("p", { class: "breaks own-direction", id });
  const received = el("p", { class: "small" });
  const waiting = el("p", { class: "small is-waiting" });
  const note = link.note && el("p", { class: "small soft breaks", dir: "auto" }, link.note);
  const remove = twoStepButton({
    label: t("links.remove"),
    confirm: t("links.removeSure"),
    class: "button danger quiet small",
    onConfirm: () => void part(link.id),
  });
  remove.setAttribute("aria-describedby", id);
  const texts = el("div", { class: "panel-names" }, name, received, waiting, note);
  const row = el("li", { class: "link-row" }, avatar(endOf(other, link), { size: "small" }), texts, remove);
  return Object.assign(row, { parts: { name, received, waiting } });
}

/** @param {any} row @param {[string, import("../model/timeline.js").Link]} entry */
function updateLink({ parts }, [other, link]) {
  const ends = (/** @type {boolean} */ isReceived) => {
    const found = link.mailboxes.filter((end) => (end.received_at !== null) === isReceived);
    return new Intl.ListFormat(language()).format(found.map((end) => wholeLabel(end.mailbox)));
  };
  const [received, waiting] = [ends(true), ends(false)];
  setText(parts.name, wholeLabel(endOf(other, link)));
  setText(parts.received, received && t("links.received", { names: received }));
  setText(parts.waiting, waiting && t("links.waiting", { names: waiting }));
}

/** @param {string} id @param {import("../model/timeline.js").Link} link @returns {any} */
function endOf(id, link) {
  return link.mailboxes.find((end) => end.mailbox.id === id)?.mailbox;
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
