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
 * @param {{rows: any[], total: number, totalCapped: boolean}} known What was loaded.
 * @param {{threads: any[], total: number}} page
 * @returns {any[] | null} `null`: they do not fit together, so the older rows must be read again.
 */
export function joined(known, page) {
  const fresh = new Set(page.threads.map((thread) => thread.id));
  const older = known.rows.filter((thread) => !fresh.has(thread.id));
  const met = known.rows.length - older.length;
  if (older.length > 0 && met === 0) return null;
  const grown = page.threads.length + older.length - known.rows.length;
  const fits = known.totalCapped || grown === page.total - known.total;
  return fits ? [...page.threads, ...older] : null;
}
