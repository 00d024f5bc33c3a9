/** Linking two mailboxes: by a drag from the handle of one to the other, and what is said of it. */

import { linkMailboxes } from "../actions/links.js";
import { navigate } from "../actions/navigation.js";
import { notify } from "../actions/notices.js";
import { Problem } from "../lib/api.js";
import { el, setClass, setText } from "../lib/dom.js";
import { followDrag } from "../lib/drag.js";
import { t } from "../lib/i18n.js";
import { announce } from "../lib/live.js";
import { linksByMailbox, wholeLabel } from "../model/timeline.js";
import { store } from "../store.js";
import { errorText } from "./states.js";

/** How long the pointer rests on "+ N more" before it unfolds. */
const REST_MS = 450;

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {import("../model/names.js").Party} Party */

/**
 * Links two mailboxes and says so.
 *
 * @param {Party} one @param {Party} other @param {string} [note]
 * @returns {Promise<string | null>} What went wrong, in a sentence.
 */
export async function link(one, other, note) {
  try {
    await linkMailboxes(one.id, other.id, note);
    announce(t("links.done", names(one, other)));
    return null;
  } catch (error) {
    const isKnown = error instanceof Problem && error.code === "already_linked";
    return isKnown ? t("links.already", names(one, other)) : errorText(error);
  }
}

/** @param {Party} one @param {Party} other */
function names(one, other) {
  return { one: wholeLabel(one), other: wholeLabel(other) };
}

/** Why two mailboxes may not be linked, `null` when they may. @param {Party} one @param {Party} other */
function refusal(one, other) {
  if (one.id === other.id) return t("links.itself");
  const isLinked = linksByMailbox(store.state.links.rows).get(one.id)?.has(other.id);
  return isLinked ? t("links.already", names(one, other)) : null;
}

/**
 * Begins a drag.
 *
 * @param {PointerEvent} event On the handle of `source`. @param {any} source An item of the timeline.
 * @param {HTMLElement} scroller
 */
export function startLinkDrag(event, source, scroller) {
  const from = source.entry.mailbox;
  const line = document.createElementNS(SVG, "path");
  const drawing = document.createElementNS(SVG, "svg");
  drawing.append(line);
  const idle = t("links.dragging", { name: wholeLabel(from) });
  const hint = el("p", { class: "drag-hint" }, idle);
  const layer = el("div", { class: "drag-layer", "aria-hidden": "true" }, drawing, hint);
  const origin = { x: event.clientX + scroller.scrollLeft, y: event.clientY + scroller.scrollTop };
  let hasLeft = false;
  /** @type {any} */
  let target = null;
  /** @type {Element | null} */
  let rested = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {any} next */
  function aim(next) {
    if (next === target) return;
    target?.classList.remove("is-target", "is-refused");
    target = next;
    if (!target) return setText(hint, idle);
    const no = refusal(from, target.entry.mailbox);
    setClass(target, no ? "is-refused" : "is-target", true);
    setText(hint, no ?? t("links.drop", names(from, target.entry.mailbox)));
  }

  /** Unfolds what the pointer rests on. @param {any} over */
  function rest(over) {
    if (over === rested) return;
    rested = over;
    clearTimeout(timer);
    if (over) timer = setTimeout(() => over.click(), REST_MS);
  }

  /** @param {number} x @param {number} y @param {Element | null} over */
  function move(x, y, over) {
    line.setAttribute("d", `M${origin.x - scroller.scrollLeft} ${origin.y - scroller.scrollTop}L${x} ${y}`);
    const item = over?.closest("[data-mailbox]") ?? null;
    hasLeft ||= item !== source;
    aim(hasLeft ? item : null);
    rest(over?.closest("[data-unfolds]") ?? null);
  }

  /** @param {Element | null} over */
  async function end(over) {
    const onto = over && target;
    aim(null);
    rest(null);
    layer.remove();
    source.classList.remove("is-dragged");
    if (!onto || onto === source) return;
    const { mailbox } = onto.entry;
    const fault = refusal(from, mailbox) ?? await link(from, mailbox);
    if (fault) notify("error", fault);
    else if (document.getElementById("links-panel")?.checkVisibility()) navigate({ chosen: from.id });
  }

  source.classList.add("is-dragged");
  document.body.append(layer);
  followDrag(event, scroller, { move, end });
}
