/**
 * The timeline of mailboxes: who is on it, at which height, what links whom, and whom one may link.
 * Heights are pixels below the height of `base`, a fixed moment: they stay while time goes by.
 */

import { mailboxLabel } from "./names.js";

/**
 * @typedef {import("./names.js").Party & {created_at: string, last_seen_at: string | null,
 *   watcher: {armed: boolean}}} Mailbox
 * @typedef {{id: string, mailbox: Mailbox, at: number, column: string, rank: number}} Entry `at` is
 *   the creation in milliseconds, `rank` is 1 for the newest of all.
 * @typedef {{key: string, recent: Entry[], older: Entry[]}} Column Newest first.
 * @typedef {{id: string, mailboxes: {mailbox: import("./names.js").Party,
 *   received_at: string | null}[], note: string | null, created_at: string}} Link
 */

/** Windows to choose from, in minutes, each with the step of its graduations: six at most. */
const STEPS = new Map([[5, 1], [15, 3], [30, 5], [60, 10], [120, 20], [240, 60]]);
export const WINDOWS = [...STEPS.keys()];
export const USUAL_WINDOW = 30;

const MINUTE_MS = 60_000;
const BOW_PX = 24;

/** Every mailbox, newest first. */
export const entriesOf = ofLast((/** @type {any[]} */ agents) => {
  /** @type {Entry[]} */
  const all = agents.flatMap((agent) => agent.mailboxes.map((/** @type {Mailbox} */ mailbox) => ({
    id: mailbox.id,
    mailbox,
    at: Date.parse(mailbox.created_at),
    column: agent.agent_name === null ? `mailbox ${mailbox.id}` : `agent ${agent.agent_name}`,
    rank: 0,
  })));
  all.sort((one, other) => other.at - one.at || (one.id < other.id ? -1 : 1));
  all.forEach((entry, index) => {
    entry.rank = index + 1;
  });
  return all;
});

/** What links a mailbox to others: links by the one address, then by the other. */
export const linksByMailbox = ofLast((/** @type {Link[]} */ rows) => {
  /** @type {Map<string, Map<string, Link>>} */
  const found = new Map();
  /** @param {string} of @param {string} to @param {Link} link */
  const put = (of, to, link) => {
    if (!found.has(of)) found.set(of, new Map());
    found.get(of)?.set(to, link);
  };
  for (const link of rows) {
    const [one, other] = link.mailboxes.map((end) => end.mailbox.id);
    put(one, other, link);
    put(other, one, link);
  }
  return found;
});

/** A function that does not work twice for the very same argument. @param {(input: any) => any} work */
function ofLast(work) {
  /** @type {any} */
  let last;
  /** @type {any} */
  let result;
  return (/** @type {any} */ input) => {
    if (input !== last) result = work(last = input);
    return result;
  };
}

/** The present, which is never before the newest mailbox: a server's clock may be ahead. */
export function nowOf(/** @type {Entry[]} */ entries, clockMs = Date.now()) {
  return Math.max(clockMs, entries[0]?.at ?? 0);
}

/**
 * One column for each agent, that of the newest mailbox first.
 *
 * @param {Entry[]} entries @param {number} sinceMs Where the window begins.
 * @returns {Column[]}
 */
export function columnsOf(entries, sinceMs) {
  /** @type {Map<string, Column>} */
  const columns = new Map();
  for (const entry of entries) {
    let column = columns.get(entry.column);
    if (!column) columns.set(entry.column, (column = { key: entry.column, recent: [], older: [] }));
    (entry.at > sinceMs ? column.recent : column.older).push(entry);
  }
  return [...columns.values()];
}

/**
 * The marks of a column: each at its exact height, or as little below it as those above leave room.
 *
 * @param {Entry[]} entries Newest first.
 * @param {{base: number, pxPerMs: number}} scale @param {number} size Of a mark, in pixels.
 * @returns {{entry: Entry, y: number, push: number}[]} `push` is how far below its height it is.
 */
export function spread(entries, { base, pxPerMs }, size) {
  let free = -Infinity;
  return entries.map((entry) => {
    const exact = Math.round((base - entry.at) * pxPerMs);
    const y = Math.max(exact, free);
    free = y + size;
    return { entry, y, push: y - exact };
  });
}

/**
 * The graduations of a window: round times of the person's clock, in milliseconds, latest first.
 *
 * @param {number} nowMs @param {number} minutes
 * @param {number} [offset] Of the person's time zone, as `getTimezoneOffset` gives it.
 */
export function graduations(nowMs, minutes, offset = new Date(nowMs).getTimezoneOffset()) {
  const step = (STEPS.get(minutes) ?? minutes) * MINUTE_MS;
  const shift = offset * MINUTE_MS;
  const found = [];
  const end = nowMs - minutes * MINUTE_MS;
  for (let at = Math.floor((nowMs - shift) / step) * step + shift; at > end; at -= step) found.push(at);
  return found;
}

/**
 * When time alone changes what the window holds: its oldest mailbox leaves, a graduation comes or goes.
 *
 * @param {Column[]} columns @param {number[]} grades @param {number} minutes
 */
export function changesAt(columns, grades, minutes) {
  const step = (STEPS.get(minutes) ?? minutes) * MINUTE_MS;
  const oldest = columns.map(({ recent }) => recent.at(-1)?.at ?? Infinity);
  const leaving = Math.min(...oldest, ...grades.slice(-1)) + minutes * MINUTE_MS;
  return Math.min(leaving, grades.length > 0 ? grades[0] + step : Infinity);
}

/**
 * How many mailboxes of the window nothing links.
 *
 * @param {Entry[]} entries @param {Map<string, any>} links @param {number} minutes
 */
export function countUnlinked(entries, links, minutes, nowMs = nowOf(entries)) {
  const since = nowMs - minutes * MINUTE_MS;
  return entries.filter(({ id, at }) => at > since && !links.has(id)).length;
}

/**
 * Whom a mailbox may be linked with, the likeliest first: of the window those of other agents, those
 * that nothing links, those made at nearly the same time; then the older ones, newest first.
 *
 * @param {Entry} chosen @param {Entry[]} entries @param {Map<string, Map<string, Link>>} links
 * @param {number} minutes @returns {Entry[]}
 */
export function candidates(chosen, entries, links, minutes, nowMs = nowOf(entries)) {
  const since = nowMs - minutes * MINUTE_MS;
  const others = entries.filter(({ id }) => id !== chosen.id && !links.get(chosen.id)?.has(id));
  const ranked = others.map((entry) => [
    entry.at <= since,
    entry.at > since && entry.column === chosen.column,
    entry.at > since && links.has(entry.id),
    entry.at > since ? Math.abs(entry.at - chosen.at) : -entry.at,
    entry.rank,
    entry,
  ]);
  ranked.sort((/** @type {any[]} */ one, /** @type {any[]} */ other) => {
    const at = one.findIndex((value, index) => value !== other[index]);
    return one[at] - other[at]; // no two have one rank
  });
  return /** @type {any[]} */ (ranked.map((row) => row[5]));
}

/** An agent and which of its mailboxes. @param {import("./names.js").Party} party */
export function wholeLabel(party) {
  const own = mailboxLabel(party);
  return party.agent_name ? `${party.agent_name} (${own})` : own;
}

/**
 * Whether a mailbox has these words in its names or address.
 *
 * @param {Mailbox} mailbox @param {string} words
 */
export function matches(mailbox, words) {
  const text = [mailbox.display_name, mailbox.agent_name, mailbox.id].join("\n").toLocaleLowerCase();
  return words.toLocaleLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/**
 * A curve between two marks, for the `d` of a path; in one column it bows out beside it.
 *
 * @param {{y: number, left: number, right: number}} one @param {{y: number, left: number,
 *   right: number}} other
 */
export function curve(one, other) {
  const [from, to] = one.left <= other.left ? [one, other] : [other, one];
  const isBow = from.left === to.left;
  const end = isBow ? to.right : to.left;
  const middle = isBow ? end + BOW_PX : (from.right + end) / 2;
  return `M${from.right} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${end} ${to.y}`;
}
