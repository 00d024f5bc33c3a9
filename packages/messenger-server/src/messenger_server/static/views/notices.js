/** Sentences at the foot of the page; each stays until it is closed. */

import { closeNotice } from "../actions/notices.js";
import { iconButton } from "../lib/buttons.js";
import { el, setHidden } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";
import { renderKeyed } from "../lib/keyed.js";
import { store } from "../store.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes them away.
 */
export function mountNotices(parent) {
  const list = el("section", { class: "notices", "aria-label": t("common.notices"), hidden: true });
  parent.append(list);
  const stop = store.watch(["notices"], () => {
    const { notices } = store.state;
    setHidden(list, notices.length === 0);
    renderKeyed(list, notices, { key: (notice) => notice.id, create: noticeNode });
  });
  return () => {
    stop();
    list.remove();
  };
}

/** @param {{id: number, kind: string, text: string}} notice */
function noticeNode(notice) {
  return el(
    "div",
    { class: `notice notice-${notice.kind}` },
    icon(notice.kind === "error" ? "warning" : "check"),
    el("p", {}, notice.text),
    iconButton("close", t("common.close"), () => closeNotice(notice.id)),
  );
}
