/** The list of threads: its first page, more of it on scroll, and news joined with what is there. */

import { get, poll } from "../lib/api.js";
import { joined, threadQuery } from "../model/threads.js";
import { store } from "../store.js";
import { failSlice } from "./loading.js";

const PATH = "/admin/threads";
const FIRST_ROWS = 50;
const MORE_ROWS = 100;
const MOST_ROWS = 200;
/** An answer that comes sooner needs no sign of loading. */
const PATIENCE_MS = 150;

/** The list that the route asks for; `leash` ends its requests once another one is wanted. */
let wanted = { name: "", leash: new AbortController(), reading: /** @type {Promise<void> | null} */ (null) };

/** Reads what the list shows again, never twice at once; with another filter, from the top. */
export function loadThreads() {
  const query = threadQuery(store.state.route);
  const name = JSON.stringify(query);
  if (wanted.name !== name) {
    wanted.leash.abort();
    wanted = { name, leash: new AbortController(), reading: null };
  }
  const list = wanted;
  list.reading ??= read(query, name, list.leash.signal).finally(() => {
    list.reading = null;
  });
  return list.reading;
}

/** @param {any} query @param {string} name @param {AbortSignal} signal */
async function read(query, name, signal) {
  const { rows } = store.state.threads;
  const isNew = store.state.threads.query !== name;
  // No rows of another filter under this one's name.
  const nothing = { query: name, status: "loading", rows: [], total: 0, next: null };
  const empty = () => isNew && store.patch("threads", nothing);
  const timer = setTimeout(empty, PATIENCE_MS);
  try {
    const limit = isNew || rows.length <= FIRST_ROWS ? FIRST_ROWS : MOST_ROWS;
    const { changed, document } = await poll(PATH, { ...query, limit }, signal);
    const known = store.state.threads;
    if (signal.aborted || (!changed && known.query === name && known.status === "ready")) return;
    const page = { rows: document.threads, next: document.next };
    const fitting = known.query === name ? joined(known, document) : page;
    const list = fitting ?? (await readOn(query, page, known.rows.length, signal));
    const { total, total_capped: totalCapped } = document;
    store.patch("threads", { ...list, query: name, total, totalCapped, status: "ready", error: null });
  } catch (error) {
    if (signal.aborted) return;
    empty();
    failSlice("threads", error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A page and what follows it, until there are as many rows as were loaded.
 *
 * @param {any} query @param {any} page @param {number} count @param {AbortSignal} signal
 */
async function readOn(query, page, count, signal) {
  let { rows, next } = page;
  while (next !== null && rows.length < count) {
    const limit = Math.min(MOST_ROWS, count - rows.length);
    const more = await get(PATH, { ...query, limit, before: next }, signal);
    rows = [...rows, ...more.threads];
    next = more.next;
  }
  return { rows, next };
}

/** Reads the next rows, once the person comes near to the end. */
export async function loadMoreThreads() {
  const { status, query, next, isMoreLoading } = store.state.threads;
  if (status !== "ready" || next === null || isMoreLoading || query !== wanted.name) return;
  const { signal } = wanted.leash;
  const asked = { ...threadQuery(store.state.route), limit: MORE_ROWS, before: next };
  let more = {};
  store.patch("threads", { isMoreLoading: true });
  try {
    const page = await get(PATH, asked, signal);
    const { rows, next: now } = store.state.threads;
    // Read again meanwhile? Then this is no longer what follows.
    if (now === next && !signal.aborted) more = { rows: [...rows, ...page.threads], next: page.next };
  } catch (error) {
    if (!signal.aborted) failSlice("threads", error);
  }
  store.patch("threads", { ...more, isMoreLoading: false });
}
