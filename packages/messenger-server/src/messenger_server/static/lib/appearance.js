/** Light or dark: as the system says, unless the person chose. */

import { getPref, setPref } from "./prefs.js";

export const APPEARANCES = /** @type {const} */ (["auto", "light", "dark"]);

/** @returns {typeof APPEARANCES[number]} */
export function appearance() {
  const kept = getPref("appearance", "auto");
  return APPEARANCES.includes(kept) ? kept : "auto";
}

/** @param {typeof APPEARANCES[number]} name */
export function setAppearance(name) {
  setPref("appearance", name === "auto" ? null : name);
  showAppearance();
}

/** Has the page look as was chosen; the style sheet reads it. */
export function showAppearance() {
  const name = appearance();
  if (name === "auto") delete document.documentElement.dataset.appearance;
  else document.documentElement.dataset.appearance = name;
}
