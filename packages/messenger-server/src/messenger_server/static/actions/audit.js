/** The audit trail: its newest events are polled, older ones come on demand. */

import { get, Problem, Unreachable } from "../lib/api.js";
import { store } from "../store.js";
import { loadSlice } from "./loading.js";

const PAGE = 50;

/** Reads the newest events again. */
export function loadAudit() {
  return loadSlice("audit", "/admin/audit", { limit: PAGE }, ({ events }) => {
    const { events: known, hasMore } = store.state.audit;
    const at = known.findIndex((/** @type {any} */ event) => event.at === events.at(-1)?.at);
    // Without a common event there is a gap: what was known is read again on demand.
    if (at < 0) return { events, hasMore: events.length === PAGE };
    return { events: [...events, ...known.slice(at + 1)], hasMore };
  });
}

/** Reads the events before those that are known. @throws {Problem | Unreachable} */
export async function loadOlderAudit() {
  const { events } = store.state.audit;
  const older = (await get("/admin/audit", { limit: PAGE, before: events.at(-1)?.at })).events;
  store.patch("audit", { events: [...store.state.audit.events, ...older], hasMore: older.length === PAGE });
}
