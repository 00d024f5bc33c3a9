/** The list of threads: its first page, and more of it on scroll. */

import { loadSlice } from "./loading.js";

/** Reads what the list shows again. */
export function loadThreads() {
  return loadSlice("threads", "/admin/threads", undefined, (document) => ({
    rows: document.threads,
    total: document.total,
    totalCapped: document.total_capped,
    hasMore: document.next !== null,
  }));
}
