/** The banner: mail that was announced to a watcher long ago and that nobody has read. */

import { navigate } from "../actions/navigation.js";
import { el, setHidden, setText } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { store } from "../store.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountBanner(parent) {
  /** @type {string | null} */
  let thread = null;
  const text = el("p", { role: "status" });
  const everything = { agent: null, mailbox: null, filter: "all", search: "" };
  const goTo = () => navigate({ ...everything, thread, message: null });
  const look = { type: "button", class: "button quiet" };
  const open = el("button", { ...look, on: { click: goTo } }, t("threads.bannerOpen"));
  const bar = el("div", { class: "banner", hidden: true }, icon("warning"), text, open);
  parent.append(bar);
  const stop = store.watch(["overview"], () => {
    const found = store.state.overview.document?.totals.announced_unread;
    thread = found?.oldest_thread_id ?? null;
    setText(text, found?.count ? plural("threads.banner", found.count) : "");
    setHidden(open, thread === null);
    setHidden(bar, !found?.count);
  });
  return () => {
    stop();
    bar.remove();
  };
}
