/** The top bar: tabs, clean-up, refresh, account menu. */

import { navigate } from "../actions/navigation.js";
import { setAutoRefresh } from "../actions/refresh.js";
import { timeOfDay } from "../lib/dates.js";
import { el, setAttribute, setHidden, setText } from "../lib/dom.js";
import { number, plural, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { store } from "../store.js";
import { accountMenu } from "./account_menu.js";
import { openCleanup, openHelp } from "./lazy.js";
import { unlinkedCount } from "./links_badge.js";

const TABS = /** @type {const} */ (["threads", "links", "keys"]);
const TAB_ICONS = /** @type {const} */ ({ threads: "thread", links: "link", keys: "key" });

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountTopbar(parent) {
  const tabs = TABS.map(tabButton);
  const menu = accountMenu();
  const bar = el(
    "header",
    { class: "topbar" },
    el(
      "h1",
      { class: "brand" },
      el("span", { class: "brand-mark", "aria-hidden": "true" }),
      el("span", { class: "brand-name" }, "Messenger"),
    ),
    el(
      "div",
      { class: "tabs", role: "tablist", "aria-label": t("topbar.tabs"), on: { keydown: moveAlong } },
      ...tabs.map((tab) => tab.button),
    ),
    connectionSign(),
    el("div", { class: "topbar-tools" }, refreshBox(), helpButton(), cleanupButton(), menu.node),
  );
  parent.append(bar);
  const stops = [
    menu.stop,
    store.watch(["route"], () => tabs.forEach((tab) => tab.show())),
    store.watch(["connection"], () => showConnection(bar)),
    store.watch(["overview", "links"], () => showBadge(bar)),
  ];
  return () => {
    for (const stop of stops) stop();
    bar.remove();
  };
}

function tabButton(/** @type {typeof TABS[number]} */ name) {
  const badge = name === "links" && el("span", { class: "tab-badge", "aria-hidden": "true", hidden: true });
  const said = name === "links" && el("span", { id: "links-badge-text", hidden: true });
  const button = el(
    "button",
    {
      type: "button",
      class: "tab",
      role: "tab",
      id: `tab-${name}`,
      "aria-controls": `panel-${name}`,
      "aria-describedby": said ? "links-badge-text" : null,
      on: { click: () => navigate({ tab: name }) },
    },
    icon(TAB_ICONS[name]),
    el("span", { class: "tab-name" }, tabName(name)),
    badge,
    said,
  );
  const show = () => {
    const isShown = store.state.route.tab === name;
    setAttribute(button, "aria-selected", isShown ? "true" : "false");
    const isStop = isShown || (store.state.route.tab === "account" && name === "threads");
    setAttribute(button, "tabindex", isStop ? 0 : -1);
  };
  return { button, show };
}

/** @param {typeof TABS[number]} name */
function tabName(name) {
  return { threads: t("topbar.threads"), links: t("topbar.links"), keys: t("topbar.keys") }[name];
}

/** Arrow keys go from tab to tab, as in any list of tabs. */
function moveAlong(/** @type {KeyboardEvent} */ event) {
  const buttons = [.../** @type {HTMLElement} */ (event.currentTarget).querySelectorAll("button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  const next = buttons[(at + step + buttons.length) % buttons.length];
  next.focus();
  next.click();
}

function refreshBox() {
  const box = el("input", {
    type: "checkbox",
    checked: store.state.autoRefresh,
    on: { change: () => setAutoRefresh(box.checked) },
  });
  const name = el("span", {}, t("topbar.autoRefresh"));
  return el("label", { class: "refresh-box", title: t("topbar.autoRefreshHint") }, box, icon("reload"), name);
}

function cleanupButton() {
  const name = t("topbar.cleanup");
  const own = { type: "button", class: "button quiet", title: name, on: { click: () => void openCleanup() } };
  return el("button", own, icon("bin"), el("span", { class: "button-text" }, name));
}

function helpButton() {
  const name = t("topbar.help");
  const own = { type: "button", class: "icon-button help-button", "aria-label": name, title: name };
  return el("button", { ...own, on: { click: () => void openHelp() } }, "?");
}

function connectionSign() {
  const text = el("span", { class: "one-line" });
  return el("p", { class: "connection", role: "status", hidden: true }, icon("warning"), text);
}

function showConnection(/** @type {HTMLElement} */ bar) {
  const sign = /** @type {HTMLElement} */ (bar.querySelector(".connection"));
  const { isThere, since } = store.state.connection;
  setHidden(sign, isThere);
  setText(/** @type {HTMLElement} */ (sign.querySelector("span")), isThere ? "" : t("topbar.away"));
  const hint = () => t("topbar.awayHint", { time: timeOfDay(new Date(since).toISOString()) });
  setAttribute(sign, "title", isThere ? null : hint());
}

/** How many mailboxes of the window nothing links yet. */
function showBadge(/** @type {HTMLElement} */ bar) {
  const count = unlinkedCount();
  const badge = /** @type {HTMLElement} */ (bar.querySelector(".tab-badge"));
  setHidden(badge, count === 0);
  setText(badge, number(count));
  const said = /** @type {HTMLElement} */ (bar.querySelector("#links-badge-text"));
  setText(said, count === 0 ? "" : plural("topbar.unlinked", count));
}
