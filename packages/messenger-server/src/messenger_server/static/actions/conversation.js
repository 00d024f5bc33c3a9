/**
 * The open thread. Its newest messages are polled; older ones come when the person scrolls up to
 * them, bodies when a message is opened.
 */

import { get, poll, Problem } from "../lib/api.js";
import { unreadIn, withNewest, withOlder } from "../model/conversation.js";
import { store } from "../store.js";
import { failSlice } from "./loading.js";
import { navigate } from "./navigation.js";

const NEWEST = 50;
const OLDER = 200;
const BODIES_MOST = 60;

/** @type {{id: string, done: Promise<void>} | null} */
let running = null;

/** Reads the open thread again, if there is one; never twice at once. */
export function loadConversation() {
  const id = store.state.route.thread;
  if (!id) return Promise.resolve();
  if (store.state.conversation.id !== id) begin(id);
  if (running?.id !== id) {
    const done = follow(id).finally(() => {
      if (running?.done === done) running = null;
    });
    running = { id, done };
  }
  return running.done;
}

/** Whether the server has said that the open thread is no longer there. */
export function isThreadGone() {
  const { id, error } = store.state.conversation;
  return id === store.state.route.thread && error instanceof Problem && error.status === 404;
}

/** Another thread: what the list knows of it is shown at once. @param {string} id */
function begin(id) {
  const thread = store.state.threads.rows.find((/** @type {any} */ row) => row.id === id) ?? null;
  store.set({ conversation: { id, status: "loading", thread, messages: [], total: 0, error: null } });
}

/** @param {string} id */
async function follow(id) {
  try {
    const { changed, document } = await poll(pathOf(id), page(NEWEST, 0));
    if (!isOpen(id)) return;
    const before = store.state.conversation;
    if (!changed && before.status === "ready") return;
    const messages = await merged(id, before, document);
    if (!isOpen(id)) return;
    const { thread, total } = document;
    store.patch("conversation", { thread, messages, total, status: "ready", error: null });
  } catch (error) {
    if (isOpen(id)) failSlice("conversation", error);
  }
}

/** @param {string} id @param {any} before @param {any} document The newest page. */
async function merged(id, before, document) {
  const newest = [...document.messages].reverse();
  const known = before.messages;
  const all = withNewest(known, newest, document.total);
  if (all && !hasChangedBefore(before, all, document)) return all;
  let found = newest;
  while (found.length < document.total && found[0].created_at > known[0].created_at) {
    const older = await get(pathOf(id), page(OLDER, found.length));
    if (older.messages.length === 0) break;
    found = withOlder(found, [...older.messages].reverse());
  }
  return found;
}

/** Whether something before the newest page was deleted or read: only a count tells so. */
function hasChangedBefore(/** @type {any} */ before, /** @type {any[]} */ all, /** @type {any} */ document) {
  if (all.length === document.messages.length) return false;
  const others = before.thread.unread_count - unreadIn(before.messages);
  return all.length > document.total || document.thread.unread_count - unreadIn(all) !== others;
}

/** Reads the messages before those that are known. */
export async function loadOlder() {
  const { id, messages, total, isLoadingOlder } = store.state.conversation;
  if (isLoadingOlder || messages.length >= total) return;
  store.patch("conversation", { isLoadingOlder: true, olderError: null });
  try {
    const document = await get(pathOf(id), page(OLDER, messages.length));
    if (!isOpen(id)) return;
    const all = withOlder(store.state.conversation.messages, [...document.messages].reverse());
    const last = document.messages.length === 0 ? all.length : document.total;
    store.patch("conversation", { messages: all, total: last, isLoadingOlder: false });
  } catch (error) {
    if (isOpen(id)) store.patch("conversation", { isLoadingOlder: false, olderError: error });
  }
}

/**
 * Has the open thread know a message, however far back it lies.
 *
 * @param {string} messageId
 * @returns {Promise<boolean>} Whether it is there.
 */
export async function reach(messageId) {
  if (store.state.conversation.status !== "ready") await loadConversation();
  const { id } = store.state.conversation;
  const isKnown = () => store.state.conversation.messages
    .some((/** @type {any} */ message) => message.id === messageId);
  if (!isKnown()) {
    await loadBody(messageId);
    const found = store.state.bodies[messageId]?.message;
    if (found?.thread_id !== id) return false;
  }
  while (isOpen(id) && !isKnown()) {
    const { length } = store.state.conversation.messages;
    await loadOlder();
    if (store.state.conversation.messages.length === length) break;
  }
  return isOpen(id) && isKnown();
}

/**
 * Opens or folds a message. The URL then leads to the one opened last.
 *
 * @param {string} messageId @param {boolean} isOpened
 */
export function openMessage(messageId, isOpened) {
  openMessages([messageId], isOpened);
  const { message } = store.state.route;
  if (isOpened) navigate({ message: messageId }, { replace: true });
  else if (message === messageId) navigate({ message: null }, { replace: true });
}

/** @param {string[]} ids @param {boolean} areOpened */
export function openMessages(ids, areOpened) {
  const open = { ...store.state.openMessages };
  for (const id of ids) {
    if (areOpened) open[id] = true;
    else delete open[id];
  }
  store.set({ openMessages: open });
}

/** Reads a message whole, unless it was. @param {string} id */
export async function loadBody(id) {
  const known = store.state.bodies[id];
  if (known && known.status !== "failed") return;
  keepBody(id, { status: "loading", message: null, error: null });
  try {
    const message = await get(`/admin/messages/${encodeURIComponent(id)}`);
    keepBody(id, { status: "ready", message, error: null });
  } catch (error) {
    keepBody(id, { status: "failed", message: null, error });
  }
}

/** A body never changes; the oldest of many are forgotten. @param {string} id @param {any} body */
function keepBody(id, body) {
  const kept = Object.entries(store.state.bodies).slice(-BODIES_MOST);
  store.set({ bodies: { ...Object.fromEntries(kept), [id]: body } });
}

/** @param {string} id */
function isOpen(id) {
  return store.state.route.thread === id && store.state.conversation.id === id;
}

/** @param {string} id */
function pathOf(id) {
  return `/admin/threads/${encodeURIComponent(id)}`;
}

/** @param {number} limit @param {number} offset */
function page(limit, offset) {
  return { bodies: "false", newest_first: "true", limit, offset: offset || null };
}
