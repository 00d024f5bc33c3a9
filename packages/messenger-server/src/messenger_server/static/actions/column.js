/** The agents column: open, collapsed, or as the room allows. */

import { setPref } from "../lib/prefs.js";
import { store } from "../store.js";

const narrow = matchMedia("(width < 1100px)");
const single = matchMedia("(width < 760px)");

/** Whether the column shows avatars alone. */
export function isColumnCollapsed() {
  const { agentsColumn } = store.state;
  return agentsColumn === "collapsed" || (agentsColumn === "auto" && narrow.matches);
}

/** Opens or collapses it; the browser remembers what differs from what the room asks for. */
export function toggleColumn() {
  const wanted = isColumnCollapsed() ? "open" : "collapsed";
  show(narrow.matches === (wanted === "collapsed") ? "auto" : wanted);
}

/** Where one panel is shown at a time, somebody who has chosen wants the list. */
export function leaveColumn() {
  if (single.matches && store.state.agentsColumn === "open") show("auto");
}

/** Calls a function when the room changes; gives what ends that. @param {() => void} run */
export function watchRoom(run) {
  narrow.addEventListener("change", run);
  return () => narrow.removeEventListener("change", run);
}

/** @param {"auto" | "open" | "collapsed"} agentsColumn */
function show(agentsColumn) {
  if (!single.matches) setPref("agentsColumn", agentsColumn);
  store.set({ agentsColumn });
}
