/** Placeholder of agents_column: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountAgents(_parent) {
  return () => {};
}
