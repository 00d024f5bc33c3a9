/** The fleet at a glance. */

import { loadSlice } from "./loading.js";

/** Reads agents, mailboxes and totals. */
export function loadOverview() {
  return loadSlice("overview", "/admin/overview", undefined, (document) => ({ document }));
}
