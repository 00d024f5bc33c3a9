/** The timeline: a column for each agent under one scale of time, and the links in between. */

import { linksWindow } from "../actions/links.js";
import { timeOfDay } from "../lib/dates.js";
import { el, setAttribute, setHidden, setText, setVar } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import {
  changesAt, columnsOf, curve, entriesOf, graduations, linksByMailbox, nowOf,
} from "../model/timeline.js";
import { store } from "../store.js";
import { columnNode, updateColumn } from "./links_column.js";
import { tickAges } from "./links_item.js";

// Not inherited: a layer that slides has the style of nothing in it computed anew.
CSS.registerProperty({ name: "--slide", syntax: "<length>", inherits: false, initialValue: "0px" });

const SVG = "http://www.w3.org/2000/svg";
const MINUTE_MS = 60_000;
const TICK_MS = 1000;
/** In rem: the least and the most height of the window, and what is left of the room below it. */
const [LEAST, MOST, BELOW] = [18, 56, 19];
const COLUMNS_MORE = 30;
const CURVES_MOST = 300;
/** So far the layers slide before they are laid anew. */
const SLIDE_MOST_PX = 50_000;

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountTimeline(parent) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const nodes = timelineNodes(showMore);
  const { scroller, canvas, list, more } = nodes;
  let scale = { base: 0, pxPerMs: 0 };
  let height = 0;
  let limit = COLUMNS_MORE;
  let changes = Infinity;

  const isShown = () => {
    const { route, overview } = store.state;
    return height > 0 && route.tab === "links" && overview.document !== null;
  };
  const entries = () => entriesOf(store.state.overview.document.agents);

  function render() {
    if (!isShown()) return;
    const { links: { rows }, route: { chosen } } = store.state;
    const minutes = linksWindow();
    const now = nowOf(entries());
    const pxPerMs = height / (minutes * MINUTE_MS);
    const isFar = (now - scale.base) * pxPerMs > SLIDE_MOST_PX;
    if (isFar || pxPerMs !== scale.pxPerMs) scale = { base: now, pxPerMs };
    const all = columnsOf(entries(), now - minutes * MINUTE_MS);
    const columns = all.slice(0, limit);
    const grades = graduations(now, minutes);
    changes = changesAt(columns, grades, minutes);
    const timeline = { scale, rem, chosen, links: linksByMailbox(rows), scroller };
    const places = new Map();
    let x = 0;
    renderKeyed(list, columns, {
      key: ({ key }) => key,
      create: columnNode,
      update: (node, column) => {
        const { width, marks } = updateColumn(node, column, timeline);
        for (const { id, y, left, right } of marks) {
          places.set(id, { id, y, left: x + left, right: x + right });
        }
        x += width;
      },
    });
    setHidden(more, all.length <= limit);
    setText(more, plural("links.moreAgents", Math.max(0, all.length - limit)));
    drawScale(nodes, grades, scale, x);
    drawCurves(nodes.curves, rows, places, chosen);
    tick();
  }

  function showMore() {
    limit += COLUMNS_MORE;
    render();
  }

  /** Time goes by: one property moves every mark, and ages are written where they read differently. */
  function tick() {
    if (document.hidden || !isShown()) return;
    const now = nowOf(entries());
    if (now >= changes) return render();
    const slide = `${Math.round((now - scale.base) * scale.pxPerMs)}px`;
    for (const layer of canvas.querySelectorAll(".slides")) setVar(layer, "--slide", slide);
    tickAges(/** @type {HTMLElement} */ (parent.parentElement), now);
  }

  function fit() {
    if (scroller.clientHeight === 0) return;
    height = Math.round(Math.min(MOST * rem, Math.max(LEAST * rem, scroller.clientHeight - BELOW * rem)));
    setVar(canvas, "--height", `${height}px`);
    render();
  }

  parent.append(scroller);
  const sizes = new ResizeObserver(fit);
  sizes.observe(scroller);
  const timer = setInterval(tick, TICK_MS);
  const stop = store.watch(["overview", "links", "route"], render);
  return () => {
    stop();
    sizes.disconnect();
    clearInterval(timer);
    scroller.remove();
  };
}

/** @param {() => void} showMore */
function timelineNodes(showMore) {
  const grades = el("ol", { class: "grades slides" });
  const drawing = document.createElementNS(SVG, "svg");
  const grid = drawing.appendChild(document.createElementNS(SVG, "path"));
  const curves = drawing.appendChild(document.createElementNS(SVG, "g"));
  drawing.setAttribute("class", "links-drawing slides");
  drawing.setAttribute("aria-hidden", "true");
  const list = el("ol", { class: "columns", "aria-label": t("links.agents") });
  const own = { type: "button", class: "button quiet more-agents", data: { unfolds: "" } };
  const more = el("button", { ...own, on: { click: showMore } });
  const now = el("span", { class: "now" }, t("links.now"));
  const gutter = el("div", { class: "gutter", "aria-hidden": "true" }, now, grades);
  const canvas = el("div", { class: "links-canvas" }, gutter, drawing, list, more);
  const scroller = el("div", { class: "links-scroll" }, canvas);
  return { scroller, canvas, list, more, grades, drawing, grid, curves };
}

/**
 * @param {any} nodes @param {number[]} times Of the graduations.
 * @param {{base: number, pxPerMs: number}} scale @param {number} width
 */
function drawScale({ drawing, grid, grades }, times, { base, pxPerMs }, width) {
  /** @param {number} at */
  const heightOf = (at) => Math.round((base - at) * pxPerMs);
  setAttribute(drawing, "width", width);
  setAttribute(grid, "d", times.map((at) => `M0 ${heightOf(at) + 0.5}H${width}`).join(""));
  renderKeyed(grades, times, {
    key: (at) => at,
    create: (at) => el("li", {}, timeOfDay(new Date(at).toISOString())),
    update: (node, at) => setVar(node, "--y", `${heightOf(at)}px`),
  });
}

/**
 * The links between mailboxes that both have a mark.
 *
 * @param {Element} host @param {any[]} rows
 * @param {Map<string, {id: string, y: number, left: number, right: number}>} places
 * @param {string | null} chosen Its links are lit.
 */
function drawCurves(host, rows, places, chosen) {
  /** @param {any} link */
  const endsOf = (link) => link.mailboxes.map((/** @type {any} */ end) => places.get(end.mailbox.id));
  const drawn = rows.map((link) => ({ id: link.id, ends: endsOf(link) }))
    .filter(({ ends: [one, other] }) => one && other);
  renderKeyed(host, drawn.slice(0, CURVES_MOST), {
    key: ({ id }) => id,
    create: () => document.createElementNS(SVG, "path"),
    update: (node, { ends: [one, other] }) => {
      setAttribute(node, "d", curve(one, other));
      setAttribute(node, "class", [one.id, other.id].includes(chosen) && "is-lit");
    },
  });
}
