/** Texts in the person's language. Catalogues are flat; every visible string is in one. */

import { getPref, setPref } from "./prefs.js";

/** Each language by its own name, in every language. @type {Record<string, string>} */
export const LANGUAGE_NAMES = { en: "English", fr: "Français" };

/** @type {Record<string, string | Record<string, string>>} */
let catalogue = {};
/** Areas of texts that came later than the page. @type {Set<string>} */
const areas = new Set();
let current = "en";
let regional = "en";
let rules = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

/** The language that the person chose, else the browser's first one that we have. */
export function preferredLanguage() {
  const asked = [getPref("language", ""), ...navigator.languages];
  const known = asked.map((tag) => String(tag).toLowerCase().split("-")[0]);
  return known.find((tag) => tag in LANGUAGE_NAMES) ?? "en";
}

/** Loads a language and makes it the page's. @param {string} tag */
export async function useLanguage(tag) {
  const modules = await Promise.all([import(`../i18n/${tag}.js`), ...[...areas].map((area) => textsOf(tag, area))]);
  catalogue = Object.assign({}, ...modules.map((module) => module.default));
  current = tag;
  regional = navigator.languages.find((each) => each.toLowerCase().startsWith(`${tag}-`)) ?? tag;
  rules = new Intl.PluralRules(tag);
  numbers = new Intl.NumberFormat(regional);
  document.documentElement.lang = tag;
}

/** Loads the texts of an area that is not in sight from the start. @param {string} area */
export async function loadTexts(area) {
  if (areas.has(area)) return;
  const module = await textsOf(current, area);
  areas.add(area);
  Object.assign(catalogue, module.default);
}

/** @param {string} tag @param {string} area */
function textsOf(tag, area) {
  return import(`../i18n/${tag}/${area}.js`);
}

/** Remembers a language for the next time. @param {string} tag */
export function rememberLanguage(tag) {
  setPref("language", tag);
}

/** The page's language. */
export function language() {
  return current;
}

/** The same with the person's region, which writes dates and numbers its own way: "en-GB". */
export function locale() {
  return regional;
}

/**
 * A text. `{name}` in it stands for a value.
 *
 * @param {string} id @param {Record<string, string | number>} [values]
 */
export function t(id, values) {
  const text = catalogue[id];
  if (typeof text !== "string") return missing(id);
  return filled(text, values);
}

/**
 * A text that depends on a number; `{count}` in it stands for the number.
 *
 * @param {string} id @param {number} count @param {Record<string, string | number>} [values]
 */
export function plural(id, count, values) {
  const forms = catalogue[id];
  if (!forms || typeof forms === "string") return missing(id);
  return filled(forms[rules.select(count)] ?? forms.other, { ...values, count: number(count) });
}

/** A number as the language writes it. @param {number} value */
export function number(value) {
  return numbers.format(value);
}

/** A size in the unit that suits it. @param {number} bytes */
export function fileSize(bytes) {
  const units = ["byte", "kilobyte", "megabyte"];
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  const style = { style: "unit", unit: units[unit], maximumFractionDigits: value < 10 ? 1 : 0 };
  const display = unit === 0 ? "long" : "short";
  return new Intl.NumberFormat(regional, { ...style, unitDisplay: display }).format(value);
}

/** @param {string} text @param {Record<string, string | number>} [values] */
function filled(text, values) {
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** @param {string} id */
function missing(id) {
  console.error(`no text for "${id}" in "${current}"`);
  return id;
}
