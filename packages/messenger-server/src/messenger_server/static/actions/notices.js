/** Sentences at the foot of the page, until the person closes them. */

import { announce } from "../lib/live.js";
import { store } from "../store.js";

let last = 0;

/** Shows a sentence. @param {"done" | "error"} kind @param {string} text */
export function notify(kind, text) {
  last += 1;
  const others = store.state.notices.filter((/** @type {any} */ notice) => notice.text !== text);
  store.set({ notices: [...others.slice(-2), { id: last, kind, text }] });
  announce(text);
}

/** @param {number} id */
export function closeNotice(id) {
  const notices = store.state.notices.filter((/** @type {any} */ notice) => notice.id !== id);
  store.set({ notices });
}
