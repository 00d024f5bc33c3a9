/** Links as the server has them, and what the person does with them. */

import { Problem, send } from "../lib/api.js";
import { getPref, setPref } from "../lib/prefs.js";
import { USUAL_WINDOW, WINDOWS } from "../model/timeline.js";
import { store } from "../store.js";
import { loadSlice } from "./loading.js";

/** Reads them again. */
export function loadLinks() {
  return loadSlice("links", "/admin/links", undefined, ({ links }) => ({ rows: links, isKnown: true }));
}

/**
 * Puts two mailboxes in touch.
 *
 * @param {string} one @param {string} other Addresses. @param {string} [note] Why; goes to both.
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export async function linkMailboxes(one, other, note = "") {
  const link = await send("POST", "/admin/links", { mailboxes: [one, other], note: note.trim() || null });
  store.patch("links", { rows: [link, ...store.state.links.rows] });
  void loadLinks();
}

/**
 * Parts two mailboxes; it is no matter if they were parted meanwhile.
 *
 * @param {string} id
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export async function removeLink(id) {
  try {
    await send("DELETE", `/admin/links/${encodeURIComponent(id)}`);
  } catch (error) {
    // Somebody else has removed it: that is what was asked for.
    if (!(error instanceof Problem && error.status === 404)) throw error;
  }
  store.patch("links", { rows: store.state.links.rows.filter((/** @type {any} */ link) => link.id !== id) });
  void loadLinks();
}

/** How many minutes back the timeline shows in detail. */
export function linksWindow() {
  const kept = getPref("linksWindow", USUAL_WINDOW);
  return WINDOWS.includes(kept) ? kept : USUAL_WINDOW;
}

/** @param {number} minutes One of `WINDOWS`. */
export function setLinksWindow(minutes) {
  setPref("linksWindow", minutes);
  store.patch("links", {}); // whoever shows links shows them by the window
}
