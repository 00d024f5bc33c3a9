/** The list of threads: its first page, and more of it on scroll. */

import { get, poll } from "../lib/api.js";
import { joined, threadQuery } from "../model/threads.js";
import { store } from "../store.js";
import { failSlice } from "./loading.js";

const PATH = "/admin/threads";
const FIRST_ROWS = 50;
const MORE_ROWS = 100;
const PAGE_ROWS = 200;
/** As many rows as are read again when they do not fit any more; who has scrolled further scrolls again. */
const KEPT_ROWS = 1000;
/** An answer that comes sooner needs no sign of loading. */
const PATIENCE_MS = 150;

/** Reads what the list shows again; with another filter, from the top. */
export async function loadThreads() {
  const query = threadQuery(store.state.route);
  const name = JSON.stringify(query);
  const isCurrent = () => name === JSON.stringify(threadQuery(store.state.route));
  const isNew = store.state.threads.query !== name;
  const timer = setTimeout(() => {
    if (isNew && isCurrent()) store.patch("threads", { status: "loading", rows: [], hasMore: false });
  }, PATIENCE_MS);
  try {
    const { changed, document } = await poll(PATH, { ...query, limit: FIRST_ROWS });
    if (!isCurrent()) return;
    const known = store.state.threads;
    if (!changed && known.query === name && known.status === "ready") return;
    const rows = known.query === name ? joined(known, document) : document.threads;
    const all = rows ?? (await readAgain(query, known.rows.length));
    if (isCurrent()) show(name, document, all, rows && rows.length > document.threads.length ? known.next : document.next);
  } catch (error) {
    if (isCurrent()) failSlice("threads", error);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the next rows, once the person comes near to the end. */
export async function loadMoreThreads() {
  const { query: name, next, isMoreLoading } = store.state.threads;
  if (next === null || isMoreLoading || name === undefined) return;
  store.patch("threads", { isMoreLoading: true });
  try {
    const page = await get(PATH, { ...threadQuery(store.state.route), limit: MORE_ROWS, before: next });
    const { threads } = store.state;
    if (threads.query !== name || JSON.stringify(threadQuery(store.state.route)) !== name) return;
    const there = new Set(threads.rows.map((/** @type {any} */ thread) => thread.id));
    const rows = [...threads.rows, ...page.threads.filter((/** @type {any} */ thread) => !there.has(thread.id))];
    store.patch("threads", { rows, next: page.next, hasMore: page.next !== null });
  } catch (error) {
    failSlice("threads", error);
  } finally {
    store.patch("threads", { isMoreLoading: false });
  }
}

/** The rows that are loaded, as they are now. */
async function readAgain(/** @type {any} */ query, /** @type {number} */ count) {
  const rows = new Map();
  let before = null;
  do {
    const page = await get(PATH, { ...query, limit: PAGE_ROWS, before });
    for (const thread of page.threads) rows.set(thread.id, thread);
    before = page.next;
  } while (before !== null && rows.size < Math.min(count, KEPT_ROWS));
  const all = [...rows.values()];
  return Object.assign(all, { next: before });
}

function show(/** @type {string} */ query, /** @type {any} */ document, /** @type {any} */ rows, /** @type {number | null} */ last) {
  const next = rows.next !== undefined ? rows.next : last;
  store.patch("threads", {
    query,
    rows: [...rows],
    next,
    hasMore: next !== null,
    total: document.total,
    totalCapped: document.total_capped,
    status: "ready",
    error: null,
  });
}
