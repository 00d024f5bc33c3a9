/** Placeholder of links_view: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountLinks(_parent) {
  return () => {};
}
