/** The clipboard, also where the page came by plain http from another machine. */

import { el } from "./dom.js";

/** Copies a text; gives whether it went. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The only way without a secure context. @param {string} text */
function copyBySelection(text) {
  const host = document.querySelector("dialog[open]") ?? document.body;
  const focused = document.activeElement;
  const field = el("textarea", { class: "visually-hidden", readonly: true, value: text });
  host.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isDone;
}
