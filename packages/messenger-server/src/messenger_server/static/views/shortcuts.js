/** Keys of the page. */

import { navigate } from "../actions/navigation.js";
import { refresh } from "../actions/refresh.js";
import { isDialogOpen } from "../lib/dialog.js";
import { isTyping } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { announce } from "../lib/live.js";
import { store } from "../store.js";
import { openHelp } from "./lazy.js";

/** How long after `g` the letter of a tab may come. */
const PREFIX_MS = 1500;
const TABS = /** @type {Record<string, string>} */ ({ t: "threads", l: "links", k: "keys", 1: "threads", 2: "links", 3: "keys" });

let prefixedAt = -Infinity;

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  o: openOrFold,
  u: backToList,
  Escape: () => {
    if (reader()?.contains(document.activeElement)) backToList();
  },
  "/": () => focusSearch(),
  "?": () => void openHelp(),
  r: () => {
    announce(t("shortcuts.refreshing"));
    void refresh();
  },
  g: () => {
    prefixedAt = performance.now();
  },
  1: () => goTo(TABS[1]),
  2: () => goTo(TABS[2]),
  3: () => goTo(TABS[3]),
};

/** @returns {() => void} */
export function mountShortcuts() {
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}

function press(/** @type {KeyboardEvent} */ event) {
  const { target, key } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  // The browser has Escape empty the search; from an empty one it leads to the list.
  const isSearch = target instanceof HTMLInputElement && target.id === "search";
  if (key === "Escape" && isSearch && !target.value) backToList();
  if (isTyping(target) || isDialogOpen() || (target instanceof Element && target.closest("[role=menu]"))) return;
  const isPrefixed = performance.now() - prefixedAt < PREFIX_MS;
  prefixedAt = -Infinity;
  const goes = isPrefixed && Object.hasOwn(TABS, key) && !/\d/.test(key);
  const run = goes ? () => goTo(TABS[key]) : Object.hasOwn(KEYS, key) && KEYS[key];
  if (!run) return;
  if (key !== "Escape") event.preventDefault();
  run();
}

/** What had the focus is hidden then: the tab itself takes it. @param {string} tab */
function goTo(tab) {
  navigate({ tab });
  document.getElementById(`tab-${tab}`)?.focus();
}

function reader() {
  return document.getElementById("reader");
}

/** The rows among which `j` and `k` go: of messages when the focus is in the reader, else of threads. */
function rows() {
  return visible(reader()?.contains(document.activeElement) ? "#reader .band" : "[data-thread]");
}

/** @param {string} selector @returns {any[]} */
function visible(selector) {
  return [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
}

function step(/** @type {1 | -1} */ by) {
  const all = rows();
  const focused = all.findIndex((row) => row === document.activeElement || isAround(row));
  const current = all.findIndex((row) => row.hasAttribute("aria-current"));
  const next = focused >= 0 ? focused + by : Math.max(current, 0);
  all[Math.min(Math.max(next, 0), all.length - 1)]?.focus();
}

/** Whether the focus is on something that belongs to this row: in its message, or beside its button. */
function isAround(/** @type {HTMLElement} */ row) {
  return row.closest("li")?.contains(document.activeElement) ?? false;
}

/** In the reader a message; in the list the thread, and the way into it. */
function openOrFold() {
  const row = rows().find((each) => each === document.activeElement || isAround(each));
  if (!row) return;
  row.click();
  if (row.dataset.thread) enterReader(row);
}

let stopWaiting = () => {};

/** To the first message in sight once the thread is there, unless the person has gone elsewhere. */
function enterReader(/** @type {HTMLElement} */ row) {
  stopWaiting();
  stopWaiting = store.watch(["conversation"], () => {
    const { id, messages } = store.state.conversation;
    if (id !== store.state.route.thread || messages.length === 0) return;
    queueMicrotask(() => {
      stopWaiting();
      if (document.activeElement !== row && row.checkVisibility()) return;
      const top = document.querySelector(".reader-scroll")?.getBoundingClientRect().top ?? 0;
      const inSight = visible("#reader .band").find((band) => band.getBoundingClientRect().top >= top);
      inSight?.focus({ preventScroll: true });
    });
  });
}

/** To the row of the open thread, else to the first; where only one panel has room, to the list. */
function backToList() {
  if (store.state.route.tab !== "threads") return;
  const all = visible("[data-thread]");
  const row = all.find((each) => each.hasAttribute("aria-current")) ?? all[0];
  if (row) row.focus();
  else if (!document.getElementById("search")?.checkVisibility()) navigate({ thread: null, message: null });
}

function focusSearch() {
  if (store.state.route.tab !== "threads") navigate({ tab: "threads" });
  const field = document.getElementById("search");
  if (field && !field.checkVisibility()) navigate({ thread: null, message: null });
  field?.focus();
}
