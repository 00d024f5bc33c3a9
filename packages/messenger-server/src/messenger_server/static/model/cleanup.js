/** Clean-up: its criteria, the day they count from, and what the server is asked. */

/** @type {("empty" | "stale" | "created")[]} */
export const CRITERIA = ["empty", "stale", "created"];

/**
 * @typedef {typeof CRITERIA[number]} Criterion
 * @typedef {{criterion: Criterion, before: string | null}} Asked `before` is RFC 3339, `null` for
 *   empty ones.
 * @typedef {import("./names.js").Party & {agent_description: string | null,
 *   description: string | null, created_at: string, last_seen_at: string | null,
 *   last_activity_at: string | null, message_count: number}} Row A mailbox of a preview.
 */

/**
 * A day of the person's calendar so many days back, as a date field writes it: "2026-11-01".
 *
 * @param {number} days
 */
export function dayBack(days, now = new Date()) {
  // Swedish writes a day as the field does.
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toLocaleDateString("sv");
}

/**
 * The start of a day in the person's time zone.
 *
 * @param {string} day As a date field writes it.
 * @returns {{at?: string, fault?: "missing" | "future"}} `at` is RFC 3339.
 */
export function startOfDay(day, now = new Date()) {
  const start = new Date(`${day}T00:00`);
  if (Number.isNaN(start.getTime())) return { fault: "missing" };
  return start > now ? { fault: "future" } : { at: start.toISOString() };
}

/** Where a preview is read. @param {Asked} asked @returns {[path: string, query?: Record<string, any>]} */
export function previewRequest({ criterion, before }) {
  if (criterion === "empty") return ["/admin/mailboxes/empty"];
  if (criterion === "stale") return ["/admin/mailboxes/stale", { before }];
  return ["/admin/mailboxes/created-before", { created_before: before }];
}

/** What a clean-up sends. @param {Asked} asked @param {string[]} addresses */
export function purgeBody({ criterion, before }, addresses) {
  const by = { empty: { empty: true }, stale: { before }, created: { created_before: before } };
  return { mailboxes: addresses, ...by[criterion] };
}

/** So many go at once. */
export const PURGE_MOST = 10_000;

/** How many copies mailboxes hold together. @param {Row[]} rows */
export function copiesIn(rows) {
  return rows.reduce((sum, row) => sum + row.message_count, 0);
}

/**
 * Whether a filter shows nothing any more once these mailboxes are gone.
 *
 * @param {import("./route.js").Route} route
 * @param {Set<string>} gone Addresses.
 * @param {{agent_name: string | null, mailboxes: {id: string}[]}[]} agents As they were before.
 */
export function isFilterGone(route, gone, agents) {
  if (route.mailbox !== null) return gone.has(route.mailbox);
  const agent = agents.find((each) => (each.agent_name ?? "") === route.agent);
  return agent !== undefined && agent.mailboxes.every((mailbox) => gone.has(mailbox.id));
}
