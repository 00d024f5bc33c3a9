/** Placeholder of keys: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountKeys(_parent) {
  return () => {};
}
