/** Placeholder of account: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountAccount(_parent) {
  return () => {};
}
