/** The tab "Links": the timeline of mailboxes, and beside it the chosen one with whom it is in touch. */

import { linksWindow, setLinksWindow } from "../actions/links.js";
import { refresh } from "../actions/refresh.js";
import { el, setAttribute, setHidden } from "../lib/dom.js";
import { language, t } from "../lib/i18n.js";
import { createSplitter } from "../lib/splitter.js";
import { WINDOWS } from "../model/timeline.js";
import { store } from "../store.js";
import { mountPanel } from "./links_panel.js";
import { mountTimeline } from "./links_timeline.js";
import { emptyState, errorState, loadingState } from "./states.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountLinks(parent) {
  const states = el("div", { class: "links-states" });
  const host = el("div", { class: "links" });
  const board = el("section", { class: "links-board", "aria-label": t("links.timeline") }, windowBar());
  const id = "links-panel";
  const panel = el("aside", { class: id, id, "aria-label": t("links.panel"), tabindex: "-1" });
  const measures = { least: 260, most: 640, usual: 340, isAfter: true };
  const line = createSplitter({ host, name: "links", label: t("links.resize"), controls: id, ...measures });
  host.append(board, line, panel);
  parent.append(states, host);
  const unmounts = [mountTimeline(board), mountPanel(panel)];
  let shown = "";
  unmounts.push(store.watch(["overview", "links", "route"], () => {
    const { overview, links, route } = store.state;
    const state = stateOf(overview, links);
    if (state !== shown) states.replaceChildren(...stateNodes(state, overview.error ?? links.error));
    shown = state;
    setHidden(states, state === "ready");
    setHidden(host, state !== "ready");
    setAttribute(host, "data-shows", route.chosen ? "panel" : "timeline");
  }));
  return () => {
    for (const unmount of unmounts) unmount();
    states.remove();
    host.remove();
  };
}

/** What came once is shown on, also when the server is away. @param {any} overview @param {any} links */
function stateOf(overview, links) {
  if (overview.document && (links.status === "ready" || links.isKnown)) {
    return overview.document.agents.length > 0 ? "ready" : "empty";
  }
  return overview.status === "failed" || links.status === "failed" ? "failed" : "loading";
}

/** @param {string} state @param {unknown} error */
function stateNodes(state, error) {
  if (state === "loading") return [loadingState(6)];
  if (state === "failed") return [errorState(error, () => void refresh())];
  if (state === "ready") return [];
  return [emptyState({ icon: "link", title: t("links.emptyTitle"), text: t("links.emptyText") })];
}

function windowBar() {
  /** @param {number} minutes */
  const name = (minutes) => {
    const [value, unit] = minutes < 60 ? [minutes, "minute"] : [minutes / 60, "hour"];
    return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "long" }).format(value);
  };
  const option = (/** @type {number} */ minutes) => el("option", { value: String(minutes) }, name(minutes));
  const choice = el("select", { class: "input" }, ...WINDOWS.map(option));
  choice.value = String(linksWindow());
  choice.addEventListener("change", () => setLinksWindow(Number(choice.value)));
  return el("div", { class: "links-bar" }, el("label", { class: "check" }, t("links.window"), choice));
}
