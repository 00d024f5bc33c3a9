/** Buttons that come back everywhere: with an icon alone, copying, and in two steps. */

import { copyText } from "./clipboard.js";
import { el, setAttribute, setText } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { announce } from "./live.js";

/**
 * A button that shows an icon alone; its label is its name and its tooltip.
 *
 * @param {import("./icons.js").IconName} name @param {string} label
 * @param {(event: MouseEvent) => void} onClick @param {Record<string, any>} [properties]
 */
export function iconButton(name, label, onClick, properties = {}) {
  const own = { type: "button", class: "icon-button", "aria-label": label, title: label };
  return el("button", { ...own, ...properties, on: { click: onClick } }, icon(name));
}

const SHOWN_MS = 1600;

/**
 * A button that copies a text.
 *
 * @param {() => string} text @param {string} what What is copied, as the button's name says it.
 */
export function copyButton(text, what) {
  const label = t("common.copy", { what });
  const button = iconButton("copy", label, async (event) => {
    event.stopPropagation();
    const isDone = await copyText(text());
    announce(isDone ? t("common.copied") : t("common.notCopied"));
    button.classList.toggle("is-done", isDone);
    button.replaceChildren(icon(isDone ? "check" : "warning"));
    setAttribute(button, "title", isDone ? t("common.copied") : t("common.notCopied"));
    setTimeout(() => {
      button.classList.remove("is-done");
      button.replaceChildren(icon("copy"));
      setAttribute(button, "title", label);
    }, SHOWN_MS);
  });
  return button;
}

/**
 * A button for what cannot be undone: the first click asks, the second one does it. Leaving it, or
 * Escape, takes the first one back.
 *
 * @param {{label: string, confirm: string, onConfirm: () => void, class?: string}} options `confirm`
 *   is the label of the second step.
 * @returns {HTMLButtonElement & {reset: () => void}} `reset` takes the first click back.
 */
export function twoStepButton({ label, confirm, onConfirm, class: name = "button danger" }) {
  let isAsking = false;
  const button = el("button", { type: "button", class: name }, label);
  const show = (/** @type {boolean} */ asking) => {
    isAsking = asking;
    setText(button, asking ? confirm : label);
    button.classList.toggle("is-asking", asking);
  };
  button.reset = () => show(false);
  button.addEventListener("click", () => {
    if (isAsking) {
      show(false);
      onConfirm();
    } else {
      show(true);
      announce(confirm);
    }
  });
  button.addEventListener("blur", () => show(false));
  button.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || !isAsking) return;
    event.preventDefault(); // the dialog around it stays
    event.stopPropagation();
    show(false);
  });
  return button;
}
