/** A message's trail at a glance: stored, announced to the recipient's watcher, read. */

import { dateTime } from "../lib/dates.js";
import { el, setAttribute, setClass, setText } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { stateOf, trailOf } from "../model/conversation.js";

/** @typedef {"stored" | "announced" | "read"} Step */

const STEPS = /** @type {const} */ (["stored", "announced", "read"]);

/** A sign of three steps and the word for the last one; `showTrail` fills it. */
export function trailSign() {
  const steps = STEPS.map(() => el("span", { class: "trail-step" }));
  const word = el("span", { class: "trail-word" });
  return el("span", { class: "trail" }, el("span", { class: "trail-steps", "aria-hidden": "true" }, ...steps), word);
}

/** @param {HTMLElement} sign @param {import("../model/conversation.js").Message} message */
export function showTrail(sign, message) {
  const trail = trailOf(message);
  const [dots, word] = /** @type {HTMLCollectionOf<HTMLElement>} */ (sign.children);
  STEPS.forEach((step, at) => setClass(dots.children[at], "is-taken", trail[step] !== null));
  setClass(sign, "is-read", trail.read !== null);
  setText(word, stepName(stateOf(message)));
  const times = STEPS.map((step) => t("reader.step", { step: stepName(step), time: stepTime(trail[step]) }));
  setAttribute(sign, "title", times.join("\n"));
}

/** @param {Step} step */
export function stepName(step) {
  return { stored: t("reader.stored"), announced: t("reader.announced"), read: t("reader.read") }[step];
}

/** @param {string | null} time */
export function stepTime(time) {
  return time === null ? t("reader.notYet") : dateTime(time);
}
