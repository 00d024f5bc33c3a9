/** A mailbox's name turned into a field: Enter or a click elsewhere saves, Escape cancels. */

import { renameMailbox } from "../actions/mailboxes.js";
import { notify } from "../actions/notices.js";
import { el, newId } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { announce } from "../lib/live.js";
import { errorText } from "./states.js";

const NAME_MAX_CHARS = 120;

/**
 * Opens the field over a name.
 *
 * @param {HTMLElement} host Where it goes; it lies over what is there. One that is open stays.
 * @param {{id: string, display_name: string | null}} mailbox
 */
export function openRename(host, mailbox) {
  if (host.querySelector(".rename")) return;
  const before = mailbox.display_name ?? "";
  const opener = document.activeElement;
  const hintId = newId("rename-hint");
  const field = el("input", {
    class: "input own-direction",
    value: before,
    maxlength: NAME_MAX_CHARS,
    "aria-label": t("links.newName"),
    "aria-describedby": hintId,
    on: { blur: () => void save(), keydown: press },
  });
  const hint = el("p", { class: "rename-hint small", id: hintId }, t("links.renameHint"));
  const box = el("div", { class: "rename" }, field, hint);
  let isBusy = false;

  function close() {
    const hadFocus = box.contains(document.activeElement);
    isBusy = true; // taking a field away blurs it
    box.remove();
    if (hadFocus && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  }

  async function save() {
    if (isBusy || !box.isConnected) return;
    if (field.value.trim() === before) return close();
    isBusy = true;
    try {
      await renameMailbox(mailbox.id, field.value);
      announce(t("links.renamed"));
      close();
    } catch (error) {
      isBusy = false;
      field.setAttribute("aria-invalid", "true");
      notify("error", errorText(error));
    }
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    event.stopPropagation();
    if (event.isComposing || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Enter") void save();
    else if (!isBusy) close();
  }

  host.append(box);
  field.focus();
  field.select();
}
