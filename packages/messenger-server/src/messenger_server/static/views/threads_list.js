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
  let known = "";
  const go = () => {
    known = field.value;
    navigate({ search: known }, { replace: true });
  };
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
  // What is being typed stays; what another one has put into the URL is shown.
  const show = () => {
    const { search } = store.state.route;
    if (search === known) return;
    known = search;
    field.value = search;
  };
  return { node: el("div", { class: "search-box", role: "search" }, icon("search"), field), show };
}

function chipRow() {
  const names = { all: t("threads.all"), unread: t("threads.unread"), high: t("threads.high") };
  const chips = FILTERS.map((filter) => button(
    "filter",
    names[/** @type {keyof typeof names} */ (filter)],
    { filter },
  ));
  const show = () => chips.forEach((chip, at) => {
    setAttribute(chip, "aria-pressed", String(FILTERS[at] === store.state.route.filter));
  });
  const count = el("span", { class: "soft small threads-count" });
  const group = { class: "filters", role: "group", "aria-label": t("threads.filter") };
  const showCount = () => {
    const { status, total, totalCapped } = store.state.threads;
    const over = () => t("threads.countCapped", { count: number(total) });
    if (status === "ready") setText(count, totalCapped ? over() : plural("threads.count", total));
    else if (total === 0) setText(count, "");
  };
  return { node: el("div", group, ...chips, count), show, showCount };
}

/** A button that goes somewhere. @param {string} name @param {string} text @param {any} patch */
function button(name, text, patch) {
  return el("button", { type: "button", class: name, on: { click: () => navigate(patch) } }, text);
}

function showState(/** @type {any} */ node, /** @type {any} */ { status, rows, error }) {
  const { filter, search, agent, mailbox } = store.state.route;
  const isFiltered = Boolean(search || filter === "high" || agent || mailbox);
  const reason = filter === "unread" && !search ? "read" : isFiltered ? "filtered" : "nothing";
  const isTold = rows.length === 0 || (status === "failed" && error instanceof Problem);
  const now = !isTold ? "" : status === "ready" ? reason : status;
  if (node.shown === now) return;
  node.shown = now;
  node.replaceChildren(...stateNodes(now, error));
}

/** @param {string} now @param {unknown} error @returns {Node[]} */
function stateNodes(now, error) {
  const clear = { search: "", filter: "all", agent: null, mailbox: null };
  if (now === "loading") return [loadingState(8)];
  if (now === "failed") return [errorState(error, () => void refresh())];
  if (now === "read") {
    const showAll = button("button", t("threads.showAll"), { filter: "all" });
    return [emptyState({ icon: "check", title: t("threads.allRead"), action: showAll })];
  }
  if (now === "filtered") {
    const showAll = button("button", t("threads.clear"), clear);
    return [emptyState({ icon: "search", title: t("threads.noMatch"), action: showAll })];
  }
  if (now === "nothing") {
    const action = button("button", t("threads.toKeys"), { tab: "keys" });
    const [title, text] = [t("threads.none"), t("threads.noneText")];
    return [emptyState({ icon: "thread", title, text, action })];
  }
  return [];
}
