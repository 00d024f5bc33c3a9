/** The console of somebody who is signed in: top bar, one view for each tab, notices. */

import { el, setHidden } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { store } from "../store.js";
import { mountLazily } from "./lazy.js";
import { mountNotices } from "./notices.js";
import { mountShortcuts } from "./shortcuts.js";
import { mountThreadsView } from "./threads_view.js";
import { mountTitle } from "./title.js";
import { mountTopbar } from "./topbar.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountConsole(parent) {
  const main = el("main", { class: "console-main", id: "main", tabindex: "-1" });
  const root = el("div", { class: "console" });
  const skip = el("a", { class: "skip-link", href: "#main" }, t("common.skip"));
  const unmounts = [mountTopbar(root)];
  root.prepend(skip);
  root.append(main);
  unmounts.push(mountNotices(root), mountTitle(), mountShortcuts(), mountTabs(main));
  parent.append(root);
  return () => {
    for (const unmount of unmounts) unmount();
    root.remove();
  };
}

/** A tab's view is built when it is first opened, and kept with its scroll and its half-typed fields. */
function mountTabs(/** @type {HTMLElement} */ main) {
  /** @type {Map<string, HTMLElement>} */
  const panels = new Map();
  /** @type {(() => void)[]} */
  const unmounts = [];
  const stop = store.watch(["route"], () => {
    const { tab } = store.state.route;
    if (!panels.has(tab)) {
      const labels = tab === "account" ? { "aria-label": t("topbar.myAccount") } : { "aria-labelledby": `tab-${tab}` };
      const panel = el("div", { class: `panel panel-${tab}`, id: `panel-${tab}`, role: "tabpanel", ...labels });
      panels.set(tab, panel);
      main.append(panel);
      unmounts.push(tab === "threads" ? mountThreadsView(panel) : mountLazily(tab, panel));
    }
    for (const [name, panel] of panels) setHidden(panel, name !== tab);
  });
  return () => {
    stop();
    for (const unmount of unmounts) unmount();
  };
}
