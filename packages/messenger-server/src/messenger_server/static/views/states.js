/** The states that every view has besides its content: loading, empty, failed. */

import { Problem, Unreachable } from "../lib/api.js";
import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";

/** What is wrong, in a sentence for the person. @param {unknown} error */
export function errorText(error) {
  if (error instanceof Unreachable) return t("common.unreachable");
  if (error instanceof Problem && error.status >= 500) {
    return t("common.serverFailed", { id: error.requestId ?? "?" });
  }
  if (error instanceof Problem) return error.message;
  return String(error);
}

/**
 * Nothing to show, and why.
 *
 * @param {{icon: import("../lib/icons.js").IconName, title: string, text?: string, action?: Node}} what
 */
export function emptyState({ icon: name, title, text, action }) {
  return el(
    "div",
    { class: "state" },
    icon(name),
    el("p", { class: "state-title" }, title),
    text && el("p", { class: "state-text" }, text),
    action,
  );
}

/** Grey bars where rows will come, so that nothing jumps. @param {number} rows */
export function loadingState(rows) {
  const bars = Array.from({ length: rows }, () => el("div", { class: "skeleton-row" }));
  return el("div", { class: "skeleton", role: "status", "aria-label": t("common.loading") }, ...bars);
}

/** What failed, with a way to try again. @param {unknown} error @param {() => void} onRetry */
export function errorState(error, onRetry) {
  const retry = el("button", { type: "button", class: "button", on: { click: onRetry } }, t("common.retry"));
  const title = t("common.failed");
  return emptyState({ icon: "warning", title, text: errorText(error), action: retry });
}
