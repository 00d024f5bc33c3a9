/** The list of threads: head with the filter, chips, search, rows; more rows on scroll. */

import { navigate } from "../actions/navigation.js";
import { refresh } from "../actions/refresh.js";
import { loadMoreThreads, loadThreads } from "../actions/threads.js";
import { Problem } from "../lib/api.js";
import { el, setAttribute, setHidden, setText } from "../lib/dom.js";
import { endMark } from "../lib/end_mark.js";
import { number, plural, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { renderKeyed } from "../lib/keyed.js";
import { FILTERS } from "../model/route.js";
import { store } from "../store.js";
import { emptyState, errorState, loadingState } from "./states.js";
import { mountThreadsHead } from "./threads_head.js";
import { createRow } from "./threads_row.js";

/** Typing is followed this much later, so that one word is one search. */
const TYPING_MS = 250;

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountThreads(parent) {
  const stopHead = mountThreadsHead(parent);
  const search = searchField();
  const chips = chipRow();
  const list = el("ul", { class: "threads-rows" });
  const end = endMark(() => void loadMoreThreads());
  const state = el("div", { class: "threads-state" });
  const scroll = el("div", { class: "threads-scroll" }, list, state, end.node);
  parent.append(el("div", { class: "threads-tools" }, search.node, chips.node), scroll);

  let shownQuery = "";
  let asked = "";
  function showRows() {
    const { threads, route } = store.state;
    const day = new Date().toDateString();
    renderKeyed(list, threads.rows, {
      key: (thread) => thread.id,
      create: createRow,
      update: (node, thread) => node.show(thread, thread.id === route.thread, day),
    });
    setHidden(list, threads.rows.length === 0);
    setHidden(end.node, threads.next === null);
    if (threads.query !== shownQuery) scroll.scrollTop = 0;
    shownQuery = threads.query;
    showState(state, threads);
    chips.showCount();
    end.look();
  }

  const stops = [
    store.watch(["threads"], showRows),
    store.watch(["route"], () => {
      const { agent, mailbox, filter, search: text } = store.state.route;
      const asks = JSON.stringify([agent, mailbox, filter, text]);
      // At once, without waiting for a refresh that is under way.
      if (asks !== asked) void loadThreads();
      asked = asks;
      showRows();
      search.show();
      chips.show();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    stopHead();
    end.stop();
  };
}

function searchField() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const go = () => navigate({ search: field.value }, { replace: true });
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(go, field.value ? TYPING_MS : 0);
  };
  const field = el("input", {
    type: "search",
    id: "search",
    class: "input search",
    maxlength: 200,
    placeholder: t("threads.searchHint"),
    "aria-label": t("threads.search"),
    on: { input: later },
  });
  const show = () => {
    if (document.activeElement !== field && field.value !== store.state.route.search) field.value = store.state.route.search;
  };
  return { node: el("div", { class: "search-box", role: "search" }, icon("search"), field), show };
}

function chipRow() {
  const names = { all: t("threads.all"), unread: t("threads.unread"), high: t("threads.high") };
  const chips = FILTERS.map((filter) => el(
    "button",
    { type: "button", class: "filter", on: { click: () => navigate({ filter }) } },
    names[/** @type {keyof typeof names} */ (filter)],
  ));
  const show = () => chips.forEach((chip, at) => setAttribute(chip, "aria-pressed", String(FILTERS[at] === store.state.route.filter)));
  const count = el("span", { class: "soft small threads-count" });
  const node = el("div", { class: "filters", role: "group", "aria-label": t("threads.filter") }, ...chips, count);
  const showCount = () => {
    const { status, total, totalCapped } = store.state.threads;
    const text = totalCapped ? t("threads.countCapped", { count: number(total) }) : plural("threads.count", total);
    if (status === "ready") setText(count, text);
  };
  return { node, show, showCount };
}

function showState(/** @type {any} */ node, /** @type {any} */ { status, rows, error }) {
  const { route } = store.state;
  const isFiltered = Boolean(route.search || route.filter === "high" || route.agent !== null || route.mailbox);
  const reason = route.filter === "unread" && !route.search ? "read" : isFiltered ? "filtered" : "nothing";
  const now = rows.length > 0 && !(status === "failed" && error instanceof Problem) ? "" : status === "ready" ? reason : status;
  if (node.shown === now) return;
  node.shown = now;
  node.replaceChildren(...stateNodes(now, error));
}

/** @param {string} now @param {unknown} error @returns {Node[]} */
function stateNodes(now, error) {
  const action = (/** @type {string} */ text, /** @type {any} */ patch) => el("button", { type: "button", class: "button", on: { click: () => navigate(patch) } }, text);
  const clear = { search: "", filter: "all", agent: null, mailbox: null };
  if (now === "loading") return [loadingState(8)];
  if (now === "failed") return [errorState(error, () => void refresh())];
  if (now === "read") return [emptyState({ icon: "check", title: t("threads.allRead"), action: action(t("threads.showAll"), { filter: "all" }) })];
  if (now === "filtered") return [emptyState({ icon: "search", title: t("threads.noMatch"), action: action(t("threads.clear"), clear) })];
  if (now === "nothing") {
    return [emptyState({ icon: "thread", title: t("threads.none"), text: t("threads.noneText"), action: action(t("threads.toKeys"), { tab: "keys" }) })];
  }
  return [];
}
