/** Keys of the page, and the sheet that tells them. */

/** @returns {() => void} */
export function mountShortcuts() {
  return () => {};
}

/** Opens the help sheet. */
export function openHelp() {}
