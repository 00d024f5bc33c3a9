/** Dragging from one element to another with a pointer; Escape cancels. */

const EDGE_PX = 48;
const STEP_PX = 12;

/**
 * Follows a pointer that has gone down, until it is let go.
 *
 * @param {PointerEvent} event The `pointerdown`.
 * @param {HTMLElement} scroller Scrolls when the pointer comes near its edges.
 * @param {{move: (x: number, y: number, over: Element | null) => void,
 *   end: (over: Element | null) => void}} follower `over` is what lies under the pointer; at the end
 *   `null` when it was cancelled.
 */
export function followDrag(event, scroller, { move, end }) {
  const leash = new AbortController();
  const { signal } = leash;
  const { pointerId } = event;
  let { clientX: x, clientY: y } = event;
  let frame = 0;
  const under = () => document.elementFromPoint(x, y);

  /** @param {Element | null} over */
  function finish(over) {
    leash.abort();
    cancelAnimationFrame(frame);
    scroller.releasePointerCapture?.(pointerId);
    end(over);
  }

  function scroll() {
    const box = scroller.getBoundingClientRect();
    /** @param {number} at @param {number} low @param {number} high */
    const step = (at, low, high) => {
      if (at < low + EDGE_PX) return -STEP_PX;
      return at > high - EDGE_PX ? STEP_PX : 0;
    };
    const [byX, byY] = [step(x, box.left, box.right), step(y, box.top, box.bottom)];
    if (byX || byY) {
      scroller.scrollBy(byX, byY);
      move(x, y, under());
    }
    frame = requestAnimationFrame(scroll);
  }

  /** @param {(event: PointerEvent) => void} run */
  const only = (run) => (/** @type {any} */ each) => {
    if (each.pointerId === pointerId) run(each);
  };
  event.preventDefault();
  // Not on the handle: a refresh may take it away.
  scroller.setPointerCapture(pointerId);
  /** @param {string} name @param {(event: any) => void} run */
  const on = (name, run) => addEventListener(name, run, { signal, capture: true });
  on("pointermove", only((moved) => {
    ({ clientX: x, clientY: y } = moved);
    move(x, y, under());
  }));
  on("pointerup", only(() => finish(under())));
  on("pointercancel", only(() => finish(null)));
  on("keydown", (pressed) => {
    if (pressed.key !== "Escape") return;
    pressed.preventDefault();
    pressed.stopPropagation();
    finish(null);
  });
  frame = requestAnimationFrame(scroll);
}
