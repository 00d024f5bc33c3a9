/** The tab's title in the browser: how many messages nobody has read. */

import { number, t } from "../lib/i18n.js";
import { store } from "../store.js";

/** @returns {() => void} Takes it away. */
export function mountTitle() {
  const stop = store.watch(["overview"], () => {
    const unread = store.state.overview.document?.totals.unread ?? 0;
    const title = unread ? t("common.titleUnread", { count: number(unread) }) : "Messenger";
    if (document.title !== title) document.title = title;
  });
  return () => {
    stop();
    document.title = "Messenger";
  };
}
