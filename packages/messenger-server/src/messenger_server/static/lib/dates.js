/** Times as the person's language and time zone write them. All inputs are RFC 3339 texts. */

import { el, setAttribute, setText } from "./dom.js";
import { locale } from "./i18n.js";

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} name @param {Intl.DateTimeFormatOptions} options */
function format(name, options) {
  const key = `${locale()} ${name}`;
  let found = formats.get(key);
  if (!found) formats.set(key, (found = new Intl.DateTimeFormat(locale(), options)));
  return found;
}

/** Day and time to the second: "12 Mar 2026, 14:03:27". @param {string} iso */
export function dateTime(iso) {
  return format("dateTime", { dateStyle: "medium", timeStyle: "medium" }).format(new Date(iso));
}

/** A day: "12 Mar 2026". @param {string} iso */
export function date(iso) {
  return format("date", { dateStyle: "medium" }).format(new Date(iso));
}

/** Time of day: "14:03", or "14:03:27". @param {string} iso @param {{seconds?: boolean}} [how] */
export function timeOfDay(iso, { seconds = false } = {}) {
  const style = seconds ? "medium" : "short";
  return format(`time ${style}`, { timeStyle: style }).format(new Date(iso));
}

/**
 * As short as it stays clear: the time today, else the day, with its year when it is another one.
 *
 * @param {string} iso @param {number} [nowMs]
 */
export function shortDate(iso, nowMs = Date.now()) {
  const then = new Date(iso);
  const now = new Date(nowMs);
  if (then.toDateString() === now.toDateString()) return timeOfDay(iso);
  if (then.getFullYear() === now.getFullYear()) {
    return format("day", { day: "numeric", month: "short" }).format(then);
  }
  return date(iso);
}

const STEPS = /** @type {const} */ ([
  ["second", 60], ["minute", 60], ["hour", 24], ["day", 30], ["month", 12], ["year", Infinity],
]);

/**
 * How long ago, or in how long: "38 s ago".
 *
 * @param {string} iso @param {number} [nowMs]
 */
export function relative(iso, nowMs = Date.now()) {
  let value = (new Date(iso).getTime() - nowMs) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size) return relativeFormat().format(Math.trunc(value), unit);
    value /= size;
  }
  return "";
}

/**
 * A `<time>` element.
 *
 * @param {string} iso @param {(iso: string) => string} [write] One of the functions above.
 */
export function timeNode(iso, write = shortDate) {
  return el("time", { datetime: iso, title: dateTime(iso) }, write(iso));
}

/** Makes a `<time>` element show another time. */
export function updateTime(/** @type {HTMLElement} */ node, /** @type {string} */ iso, write = shortDate) {
  setAttribute(node, "datetime", iso);
  setAttribute(node, "title", dateTime(iso));
  setText(node, write(iso));
}

/** @type {Map<string, Intl.RelativeTimeFormat>} */
const relatives = new Map();

function relativeFormat() {
  let found = relatives.get(locale());
  if (!found) {
    found = new Intl.RelativeTimeFormat(locale(), { style: "short", numeric: "auto" });
    relatives.set(locale(), found);
  }
  return found;
}
