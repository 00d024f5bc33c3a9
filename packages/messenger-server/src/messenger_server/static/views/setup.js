/** Placeholder of setup: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountSetup(_parent) {
  return () => {};
}
