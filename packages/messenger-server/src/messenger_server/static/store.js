/**
 * Everything that the page shows, in one object. Actions write it, views are functions of it.
 *
 * Slices are replaced, never changed in place: a subscriber is called when one of its slices is
 * another object than before.
 */

import { getPref } from "./lib/prefs.js";
import { readRoute } from "./model/route.js";

/** @typedef {"loading" | "ready" | "failed"} Status `failed` keeps what was there before. */

/** @returns {Record<string, any>} */
function empty() {
  return {
    /** Who looks: `loading`, `setup` (no account yet), `sign_in` (and for what `reason`), `signed_in`. */
    session: { state: "loading", username: null },
    /** What the URL says: see `model/route.js`. */
    route: readRoute(location.search),
    /** Whether the server answers; `since` is when it stopped to, in milliseconds. */
    connection: { isThere: true, since: null },
    /** `GET /admin/overview`. */
    overview: { status: "loading", document: null, error: null },
    /** `rows` are threads of the list, from the top down to where the person has scrolled. */
    threads: { status: "loading", rows: [], total: 0, totalCapped: false, next: null, error: null },
    /** The open thread: its messages in order, without bodies. */
    conversation: { status: "loading", thread: null, messages: [], total: 0, error: null },
    /** Whole messages by id, once opened: `{status, message, error}`. */
    bodies: {},
    /** Ids of the messages that are open: `{[id]: true}`. */
    openMessages: {},
    links: { status: "loading", rows: [], error: null },
    keys: { status: "loading", rows: [], error: null },
    account: { status: "loading", document: null, error: null },
    audit: { status: "loading", events: [], hasMore: false, error: null },
    /** Sentences at the foot of the page until closed: `{id, kind: "done" | "error", text}`. */
    notices: [],
    /** Another language builds the page anew; `null` is the one that it began with. */
    language: null,
    autoRefresh: getPref("autoRefresh", true),
    /** Agents column: `auto` (by room), `open` or `collapsed`. */
    agentsColumn: getPref("agentsColumn", "auto"),
  };
}

let state = empty();

/** @type {Set<{slices: string[], run: () => void}>} */
const subscribers = new Set();

export const store = {
  /** The state; read it, never write it. */
  get state() {
    return state;
  },

  /** Replaces slices and tells who watches them. @param {Record<string, any>} patch */
  set(patch) {
    const changed = Object.keys(patch).filter((name) => state[name] !== patch[name]);
    if (changed.length === 0) return;
    state = { ...state, ...patch };
    for (const subscriber of [...subscribers]) {
      const isConcerned = subscriber.slices.some((name) => changed.includes(name));
      if (isConcerned && subscribers.has(subscriber)) subscriber.run();
    }
  },

  /** Replaces parts of one slice. @param {string} slice @param {Record<string, any>} patch */
  patch(slice, patch) {
    store.set({ [slice]: { ...state[slice], ...patch } });
  },

  /**
   * Calls `run` now and whenever one of the slices changes.
   *
   * @param {string[]} slices @param {() => void} run
   * @returns {() => void} Ends it.
   */
  watch(slices, run) {
    const subscriber = { slices, run };
    subscribers.add(subscriber);
    run();
    return () => void subscribers.delete(subscriber);
  },

  /** Forgets everything of the person who has left; the URL stays. */
  forget() {
    const { route, autoRefresh, agentsColumn, connection, language } = state;
    store.set({ ...empty(), route, autoRefresh, agentsColumn, connection, language });
  },
};
