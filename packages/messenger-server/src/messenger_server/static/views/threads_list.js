/** Placeholder of threads_list: its builder replaces it. */

/** @param {HTMLElement} _parent @returns {() => void} */
export function mountThreads(_parent) {
  return () => {};
}
