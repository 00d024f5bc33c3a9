/**
 * Message bodies: the server's node tree becomes elements. Only the tags below are made, texts stay
 * texts, and what is not known shows its text.
 */

import { copyButton } from "./buttons.js";
import { el } from "./dom.js";
import { t } from "./i18n.js";

/** @typedef {string | [string, Record<string, any>, ...any[]]} Node `["a", {href}, "text", …]` */

/** What may hold very much: it grows while the page stays usable. */
const LARGE = new Set(["ul", "ol", "blockquote", "table", "tbody"]);
const PLAIN = new Set(["em", "strong", "del", "thead", "tbody", "tr", "br", "hr", "ul", "code", "p", "blockquote"]);
/** Each begins in the direction of its own first letter. */
const DIRECTED = new Set(["p", "blockquote", "ul", "ol", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"]);
const ALIGNED = new Set(["left", "center", "right"]);
const SCHEMES = new Set(["http:", "https:", "mailto:"]);
/** Nodes that are made before the page is drawn again: laying them out takes some 50 ms. */
const SLICE = 2500;

/**
 * Builds a body into an element.
 *
 * @param {HTMLElement} host In the page, empty; once it is taken out, the building ends.
 * @param {Node[]} tree
 * @param {number} level Of the heading above it: those of the body go below.
 */
export function renderTree(host, tree, level) {
  const context = { level, last: level, made: 0 };
  const work = [{ into: host, nodes: tree, next: 0, done: () => {} }];

  function build() {
    for (context.made = 0; work.length > 0 && context.made < SLICE;) step(work, context);
    if (work.length > 0 && host.isConnected) setTimeout(build);
  }

  build();
}

/** Makes the next node, whole unless it may be large. @param {any[]} work @param {Context} context */
function step(work, context) {
  const top = work[work.length - 1];
  if (top.next === top.nodes.length) {
    top.done();
    work.pop();
    return;
  }
  const node = top.nodes[top.next];
  top.next += 1;
  if (!Array.isArray(node) || !LARGE.has(node[0])) {
    top.into.append(made(node, context));
    return;
  }
  const { outer, inner } = elementOf(node, context);
  top.into.append(outer);
  work.push({ into: inner, nodes: node, next: 2, done: () => direct(node[0], inner) });
}

/** @typedef {{level: number, last: number, made: number}} Context `last`: level of the last heading. */

/** @param {any} node @param {Context} context @returns {string | HTMLElement} */
function made(node, context) {
  context.made += 1;
  if (!Array.isArray(node)) return String(node);
  const { outer, inner } = elementOf(node, context);
  if (inner) {
    for (let at = 2; at < node.length; at += 1) inner.append(made(node[at], context));
    direct(node[0], inner);
  }
  return outer;
}

/** Once all is in it: a browser looks for the first letter after each node that is added. */
function direct(/** @type {string} */ tag, /** @type {HTMLElement} */ node) {
  if (DIRECTED.has(tag)) node.dir = "auto";
}

/** @param {any[]} node @param {Context} context @returns {{outer: HTMLElement, inner?: HTMLElement}} */
function elementOf(node, context) {
  const [tag, attributes] = node;
  context.made += 1;
  if (tag === "table") return table();
  if (tag === "pre") return { outer: codeBlock(node) };
  if (tag === "input") return { outer: taskBox(attributes.checked === true) };
  const outer = simple(tag, attributes, node, context);
  return { outer, inner: outer };
}

/** @param {string} tag @param {any} attributes @param {any[]} node @param {Context} context */
function simple(tag, attributes, node, context) {
  if (PLAIN.has(tag)) return el(tag);
  if (tag === "a") return link(attributes.href);
  if (tag === "li") return el("li", { class: isTask(node) && "is-task" });
  if (tag === "ol") return el("ol", { start: Number.isInteger(attributes.start) && attributes.start });
  if (tag === "th" || tag === "td") {
    return el(tag, { class: ALIGNED.has(attributes.align) && `is-${attributes.align}` });
  }
  return /^h[1-6]$/.test(tag) ? heading(Number(tag[1]), context) : el("span");
}

function isTask(/** @type {any[]} */ node) {
  return node[2]?.[0] === "input" || node[2]?.[2]?.[0] === "input";
}

/** A link leads out of the page, and only where a person may be led: the server has looked already. */
function link(/** @type {any} */ href) {
  if (typeof href !== "string" || !URL.canParse(href) || !SCHEMES.has(new URL(href).protocol)) return el("span");
  return el("a", { href, title: href, rel: "noreferrer noopener", target: "_blank" });
}

/** Headings keep their order below the one above the body; their look tells their own level. */
function heading(/** @type {number} */ own, /** @type {Context} */ context) {
  context.last = Math.min(own + context.level, context.last + 1, 6);
  return el(`h${context.last}`, { class: `heading-${own}` });
}

function table() {
  const inner = el("table");
  return { outer: el("div", { class: "wide", ...scrolled(t("reader.table")) }, inner), inner };
}

/** What scrolls by itself can be reached by keyboard, and says what it is. @param {string} label */
function scrolled(label) {
  return { role: "group", tabindex: "0", "aria-label": label };
}

function taskBox(/** @type {boolean} */ checked) {
  const label = checked ? t("reader.taskDone") : t("reader.taskOpen");
  return el("input", { type: "checkbox", checked, disabled: true, "aria-label": label });
}

function codeBlock(/** @type {any[]} */ node) {
  const text = textOf(node);
  const language = /^language-(.+)$/.exec(node[2]?.[1]?.class)?.[1];
  const label = language ?? t("reader.code");
  const bar = el("div", { class: "code-bar" }, el("span", { class: "one-line" }, label), copyButton(() => text, t("reader.theCode")));
  return el("div", { class: "code-block" }, bar, el("pre", scrolled(label), el("code", {}, text)));
}

/** @param {any} node @returns {string} */
function textOf(node) {
  return Array.isArray(node) ? node.slice(2).map(textOf).join("") : String(node);
}
