/** The tab "Threads": agents, list and reader side by side, or one at a time where there is no room. */

import { el, setAttribute } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { createSplitter } from "../lib/splitter.js";
import { store } from "../store.js";
import { mountAgents } from "./agents_column.js";
import { mountBanner } from "./banner.js";
import { mountReader } from "./reader.js";
import { mountThreads } from "./threads_list.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountThreadsView(parent) {
  const host = el("div", { class: "mail" });
  const agents = el("aside", { class: "agents", id: "agents", "aria-label": t("agents.title") });
  const threads = el("section", { class: "threads", id: "threads", "aria-label": t("threads.title") });
  const own = { class: "reader", id: "reader", "aria-label": t("reader.title"), tabindex: "-1" };
  const reader = el("section", own);
  const line = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number[]} */ widths) => {
    const [least, most, usual] = widths;
    return createSplitter({ host, name, label, controls: name, least, most, usual });
  };
  const agentsLine = line("agents", t("threads.resizeAgents"), [200, 480, 288]);
  const threadsLine = line("threads", t("threads.resizeThreads"), [260, 720, 380]);
  host.append(agents, agentsLine, threads, threadsLine, reader);
  const unmounts = [mountBanner(parent)];
  parent.append(host);
  unmounts.push(mountAgents(agents), mountThreads(threads), mountReader(reader));
  unmounts.push(store.watch(["route", "agentsColumn"], () => {
    setAttribute(host, "data-shows", store.state.route.thread ? "reader" : "threads");
    setAttribute(host, "data-agents", store.state.agentsColumn);
  }));
  return () => {
    for (const unmount of unmounts) unmount();
    host.remove();
  };
}
