/** The end of a list that is longer than what is built: it says when somebody comes near. */

import { el } from "./dom.js";

/**
 * @param {() => unknown} onNear
 * @returns {{node: HTMLElement, look: () => void, stop: () => void}} `look`: the list has changed, and
 *   its end may be near without having moved.
 */
export function endMark(onNear) {
  const node = el("div", { class: "end-mark", "aria-hidden": "true" });
  const observer = new IntersectionObserver(
    (entries) => entries[entries.length - 1].isIntersecting && onNear(),
    // @ts-expect-error Newer than the types.
    { scrollMargin: "600px" },
  );
  const stop = () => observer.disconnect();
  const look = () => {
    stop();
    observer.observe(node);
  };
  return { node, look, stop };
}
