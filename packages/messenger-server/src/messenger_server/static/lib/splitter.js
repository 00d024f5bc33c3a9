/** Lines between panels: dragged, moved by arrow keys, reset by a double click; widths are kept. */

import { el, setAttribute, setVar } from "./dom.js";
import { getPref, setPref } from "./prefs.js";

const STEP_PX = 16;

/**
 * A line that sets the width of the panel before it.
 *
 * @param {{host: HTMLElement, name: string, label: string, controls: string, least: number,
 *   most: number, usual: number, isAfter?: boolean}} options The width goes into `--<name>-width` of
 *   `host`, in pixels; `controls` is the panel's id; `isAfter`: the panel stands after the line.
 */
export function createSplitter({ host, name, label, controls, least, most, usual, isAfter = false }) {
  const way = isAfter ? -1 : 1;
  const preference = `width.${name}`;
  const line = el("div", {
    class: "splitter",
    role: "separator",
    tabindex: "0",
    "aria-orientation": "vertical",
    "aria-label": label,
    "aria-controls": controls,
    "aria-valuemin": least,
    "aria-valuemax": most,
  });
  let width = 0;

  function show(/** @type {number} */ wanted) {
    width = Math.round(Math.min(most, Math.max(least, wanted)));
    setVar(host, `--${name}-width`, `${width}px`);
    setAttribute(line, "aria-valuenow", width);
  }

  function keep(/** @type {number} */ wanted) {
    show(wanted);
    setPref(preference, width);
  }

  function reset() {
    setPref(preference, null);
    show(usual);
  }

  line.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    line.focus();
    line.setPointerCapture(event.pointerId);
    const origin = event.clientX * way - width;
    const drag = (/** @type {PointerEvent} */ moved) => show(moved.clientX * way - origin);
    line.addEventListener("pointermove", drag);
    line.addEventListener("lostpointercapture", () => {
      line.removeEventListener("pointermove", drag);
      if (width !== getPref(preference, usual)) setPref(preference, width);
    }, { once: true });
  });
  line.addEventListener("dblclick", reset);
  line.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = way * (event.shiftKey ? STEP_PX * 4 : STEP_PX);
    const moves = { ArrowLeft: width - step, ArrowRight: width + step, Home: least, End: most };
    if (event.key === "Enter") reset();
    else if (event.key in moves) keep(moves[/** @type {keyof typeof moves} */ (event.key)]);
    else return;
    event.preventDefault();
  });
  show(getPref(preference, usual));
  return line;
}
