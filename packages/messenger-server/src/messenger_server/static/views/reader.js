/** Placeholder of reader: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountReader(_parent) {
  return () => {};
}
