/** The refresh: what the person looks at is read again every five seconds. */

import { createPoller } from "../lib/poller.js";
import { setPref } from "../lib/prefs.js";
import { store } from "../store.js";
import { isThreadGone, loadConversation } from "./conversation.js";
import { loadLinks } from "./links.js";
import { loadOverview } from "./overview.js";
import { loadThreads } from "./threads.js";

const EVERY_MS = 5000;

/** What each tab reads. @type {Record<string, () => Promise<unknown>[]>} */
const loaders = {
  // A thread that is gone does not come back: it is asked for again by the person alone.
  threads: () => [loadThreads(), ...(isThreadGone() && !isAsked ? [] : [loadConversation()])],
};

let isAsked = false;

const poller = createPoller(refreshOnce, EVERY_MS);

async function refreshOnce() {
  if (store.state.session.state !== "signed_in") return;
  // The badge of the links is in sight everywhere.
  const reads = [loadOverview(), loadLinks(), ...(loaders[store.state.route.tab]?.() ?? [])];
  isAsked = false;
  await Promise.all(reads);
}

/**
 * What a tab reads at each refresh, from now on; a view that comes later than the page says it.
 *
 * @param {string} tab @param {() => Promise<unknown>[]} load
 */
export function refreshTab(tab, load) {
  const isNew = !(tab in loaders);
  loaders[tab] = load;
  if (isNew) void poller.now();
}

/** Reads everything in sight again, now. */
export function refresh() {
  isAsked = true;
  return poller.now();
}

/** Starts and stops with the session and the person's choice; runs when another thing is in sight. */
export function followRefresh() {
  let seen = "";
  store.watch(["session", "autoRefresh", "route"], () => {
    const { session, autoRefresh, route } = store.state;
    const isIn = session.state === "signed_in";
    if (isIn && autoRefresh) poller.start();
    else poller.stop();
    const { message: _, chosen: __, ...rest } = route; // what these lead to is there already
    const sight = isIn ? JSON.stringify(rest) : "";
    if (sight && sight !== seen) void poller.now();
    seen = sight;
  });
}

/** @param {boolean} isOn */
export function setAutoRefresh(isOn) {
  setPref("autoRefresh", isOn);
  store.set({ autoRefresh: isOn });
}
