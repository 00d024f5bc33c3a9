/** Placeholder of banner: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountBanner(_parent) {
  return () => {};
}
