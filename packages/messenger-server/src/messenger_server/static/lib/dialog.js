/** Windows over the page. One closes by its button or Escape, never by itself or a click outside. */

import { iconButton } from "./buttons.js";
import { el, newId } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Opens a window; the focus goes into it, and back when it closes.
 *
 * @param {{title: string, class?: string, content: Node[], footer?: Node[], onClose?: () => void,
 *   mayClose?: () => boolean}} options `mayClose` is asked before Escape or the close button close it.
 * @returns {{node: HTMLDialogElement, body: HTMLElement, footer: HTMLElement, close: () => void}}
 */
export function openDialog({ title, class: name = "", content, footer = [], onClose, mayClose }) {
  const opener = document.activeElement;
  const titleId = newId("dialog-title");
  const close = () => node.close();
  const ask = () => {
    if (!mayClose || mayClose()) close();
  };
  const body = el("div", { class: "dialog-body" }, ...content);
  const foot = el("footer", { class: "dialog-footer" }, ...footer);
  const node = el(
    "dialog",
    { class: `dialog ${name}`.trim(), "aria-labelledby": titleId },
    el(
      "header",
      { class: "dialog-header" },
      el("h2", { id: titleId, class: "dialog-title" }, title),
      iconButton("close", t("common.close"), ask),
    ),
    body,
    foot,
  );
  node.addEventListener("cancel", (/** @type {Event} */ event) => {
    event.preventDefault();
    ask();
  });
  node.addEventListener("close", () => {
    node.remove();
    onClose?.();
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  });
  document.body.append(node);
  node.showModal();
  return { node, body, footer: foot, close };
}

/** Whether a window is open: keys of the page are then not for it. */
export function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}
