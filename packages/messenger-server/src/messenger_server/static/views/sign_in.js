/** Placeholder of sign_in: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountSignIn(_parent) {
  return () => {};
}
