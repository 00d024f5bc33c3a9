/** What is shown of a key, in a row of the table and in its window. */

import { date, timeNode, timeOfDay, updateTime } from "../lib/dates.js";
import { el, setAttribute, setClass, setText } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { endsSoon } from "../model/keys.js";
import { button } from "./cleanup_parts.js";

/** @typedef {import("../model/keys.js").Key} Key */

/**
 * A key's facts, and how they become those of its newer state.
 *
 * @param {Key} key
 * @returns {{facts: [label: string, node: HTMLElement][], show: (key: Key) => void}}
 */
export function keyFacts(key) {
  const [chip, expires, used] = [0, 0, 0].map(() => el("span"));
  const scope = key.agent_name ?? t("keys.all");
  /** @type {[string, HTMLElement][]} */
  const facts = [
    [t("keys.key"), el("span", { class: "mono" }, `${key.start}…${key.end}`)],
    [t("keys.scope"), el("span", { class: `breaks own-direction${key.agent_name ? "" : " soft"}` }, scope)],
    [t("keys.created"), timeNode(key.created_at, date)],
    [t("keys.expires"), expires],
    [t("keys.used"), used],
    [t("keys.state"), chip],
  ];
  const show = (/** @type {Key} */ now) => {
    showTime(expires, now.expires_at);
    showTime(used, now.last_used_at);
    setClass(expires, "is-soon", endsSoon(now) || now.state === "expired");
    const [look, text] = condition(now);
    setAttribute(chip, "class", `chip ${look}`);
    setText(chip, text);
  };
  return { facts, show };
}

/** @param {Key} key */
function condition(key) {
  const { state, replaced_by: isReplaced, accepted_until: until } = key;
  if (state === "revoked") return ["", t("keys.revoked")];
  if (state === "expired") return ["is-danger", t("keys.expired")];
  if (isReplaced) return ["is-warning", t("keys.replaced", { until: `${date(until)} ${timeOfDay(until)}` })];
  return endsSoon(key) ? ["is-warning", t("keys.endsSoon")] : ["is-success", t("keys.active")];
}

/** @param {HTMLElement} place @param {string | null} iso */
function showTime(place, iso) {
  const time = place.firstElementChild;
  if (!iso) setText(place, t("keys.never"));
  else if (time) updateTime(time, iso, date);
  else place.replaceChildren(timeNode(iso, date));
}

const shows = new WeakMap();

/**
 * A row of the table: its name opens the key, and so does a click anywhere on it.
 *
 * @param {Key} key @param {(id: string) => void} open
 */
export function keyRow(key, open) {
  const { facts, show } = keyFacts(key);
  const name = button("", () => open(key.id), "keys-open breaks own-direction");
  const cells = facts.map(([label, node]) => {
    return el("td", {}, el("span", { class: "keys-label", "aria-hidden": "true" }, label), node);
  });
  const row = el("tr", {}, el("th", { scope: "row" }, name), ...cells);
  shows.set(row, (/** @type {Key} */ now) => {
    setText(name, now.name);
    setClass(row, "soft", now.state !== "active");
    show(now);
  });
  return row;
}

/** @param {HTMLElement} row @param {Key} key */
export function updateKeyRow(row, key) {
  shows.get(row)(key);
}
