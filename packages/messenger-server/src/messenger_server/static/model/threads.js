/** The list of threads: what is asked for, and how news join what is there. */

/** The query of `GET /admin/threads` that a route stands for. @param {any} route */
export function threadQuery(route) {
  return {
    agent: route.mailbox,
    agent_name: route.mailbox ? null : route.agent,
    search: route.search.trim().slice(0, 200),
    unread_only: route.filter === "unread",
    priority: route.filter === "high" ? "high" : null,
  };
}

/**
 * The rows with a new first page in front of the older ones.
 *
 * @param {{rows: any[], total: number, totalCapped: boolean, next: number | null}} known What was
 *   loaded; `next` leads to what follows.
 * @param {{threads: any[], total: number, next: number | null}} page
 * @returns {{rows: any[], next: number | null} | null} `null`: they do not fit together, so the older
 *   rows must be read again.
 */
export function joined(known, page) {
  const { threads, next } = page;
  const fresh = new Set(threads.map((thread) => thread.id));
  const last = threads.at(-1)?.last_activity_at;
  // One that should stand in the page and does not is gone.
  const isOlder = (/** @type {any} */ thread) => !fresh.has(thread.id) && thread.last_activity_at <= last;
  const older = next === null ? [] : known.rows.filter(isOlder);
  if (older.length === 0) return { rows: threads, next };
  const hasMet = known.rows.some((thread) => fresh.has(thread.id));
  const grown = threads.length + older.length - known.rows.length;
  const fits = hasMet && (known.totalCapped || grown === page.total - known.total);
  return fits ? { rows: [...threads, ...older], next: known.next } : null;
}
