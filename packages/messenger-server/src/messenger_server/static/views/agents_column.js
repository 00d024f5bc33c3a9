/** The agents column: who is there, filtered on with a click. */

import { isColumnCollapsed, leaveColumn, toggleColumn, watchRoom } from "../actions/column.js";
import { navigate } from "../actions/navigation.js";
import { refresh } from "../actions/refresh.js";
import { iconButton } from "../lib/buttons.js";
import { el, setAttribute, setClass, setHidden, setText } from "../lib/dom.js";
import { endMark } from "../lib/end_mark.js";
import { plural, t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { agentsOf, chosenAgent } from "../model/agents.js";
import { store } from "../store.js";
import { createAgent } from "./agents_item.js";
import { emptyState, errorState, loadingState } from "./states.js";

/** What is unfolded stays so while the page is open. */
const folds = { open: new Set(), empties: new Set() };
/** So many agents are built at first, and more on scroll. */
const STEP = 200;

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountAgents(parent) {
  let most = STEP;
  const toggle = iconButton("columns", "", toggleColumn);
  const button = (/** @type {string} */ name, /** @type {() => void} */ click, text = "") => (
    el("button", { type: "button", class: name, on: { click } }, text)
  );
  const all = button("agents-all", () => choose({}), t("agents.all"));
  const list = el("ul", {});
  const more = button("agents-more", () => flip("all"));
  const empties = el("ul", {});
  const state = el("div", {});
  const end = endMark(() => {
    most += STEP;
    show();
  });
  const title = el("span", { class: "agents-heading", "aria-hidden": "true" }, t("agents.title"));
  const scroll = el("div", { class: "agents-scroll" }, all, state, list, more, empties, end.node);
  parent.append(el("div", { class: "agents-head" }, title, toggle), scroll);

  function flip(/** @type {string} */ key, which = folds.empties) {
    if (!which.delete(key)) which.add(key);
    show();
  }

  function show() {
    const { overview, route } = store.state;
    const { used, empty } = agentsOf(overview.document);
    const chosen = chosenAgent(overview.document, route);
    const context = { route, chosen, folds, flip, choose, day: new Date().toDateString() };
    const how = {
      key: (/** @type {any} */ agent) => agent.key,
      create: () => createAgent(context),
      update: (/** @type {any} */ node, /** @type {any} */ agent) => node.show(agent, context),
    };
    const isOpen = folds.empties.has("all") || (chosen !== null && empty.includes(chosen));
    renderKeyed(list, used.slice(0, most), how);
    renderKeyed(empties, isOpen ? empty.slice(0, Math.max(0, most - used.length)) : [], how);
    setHidden(end.node, used.length + (isOpen ? empty.length : 0) <= most);
    end.look();
    setHidden(more, empty.length === 0);
    setText(more, plural("agents.empty", empty.length));
    setAttribute(more, "aria-expanded", String(isOpen));
    setAttribute(all, "aria-current", route.agent === null && route.mailbox === null ? "true" : null);
    showState(state, overview, used.length + empty.length);
  }

  function showWidth() {
    const isCollapsed = isColumnCollapsed();
    const label = isCollapsed ? t("agents.expand") : t("agents.collapse");
    setClass(parent, "is-collapsed", isCollapsed);
    setAttribute(toggle, "aria-expanded", String(!isCollapsed));
    setAttribute(toggle, "aria-label", label);
    setAttribute(toggle, "title", label);
  }

  const stops = [
    store.watch(["overview", "route"], show),
    store.watch(["agentsColumn"], showWidth),
    watchRoom(showWidth),
    end.stop,
  ];
  return () => stops.forEach((stop) => stop());
}

/** @param {Partial<import("../model/route.js").Route>} patch */
function choose(patch) {
  navigate({ agent: null, mailbox: null, ...patch });
  leaveColumn();
}

/** @param {any} node @param {any} overview @param {number} count Of agents. */
function showState(node, { status, document, error }, count) {
  const now = document ? (count ? "" : "empty") : status;
  if (node.shown === now) return;
  node.shown = now;
  if (now === "loading") node.replaceChildren(loadingState(8));
  else if (now === "failed") node.replaceChildren(errorState(error, () => void refresh()));
  else if (now === "empty") node.replaceChildren(emptyState({ icon: "user", title: t("agents.none") }));
  else node.replaceChildren();
}
