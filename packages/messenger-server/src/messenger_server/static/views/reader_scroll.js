/**
 * Where the person reads: a long thread opens at its newest end, older messages come on the way up,
 * new ones below are told of. Nothing moves by itself.
 */

import { loadOlder } from "../actions/conversation.js";
import { el, setAttribute, setHidden, setText } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { nodeOf } from "../lib/keyed.js";
import { announce } from "../lib/live.js";
import { store } from "../store.js";

/** A thread of more messages opens at its end. */
const SHORT = 50;
const AHEAD = "800px 0px";

/**
 * @param {HTMLElement} list Of the messages. @param {HTMLElement} state What is shown instead.
 */
export function readerScroll(list, state) {
  const older = el("button", { type: "button", class: "button quiet reader-older", hidden: true, on: { click: loadOlder } });
  const scroller = el("div", { class: "reader-scroll" }, older, list, state);
  const below = el("button", { type: "button", class: "button primary reader-below", hidden: true, on: { click: goBelow } });
  const node = el("div", { class: "reader-main" }, scroller, below);
  /** @type {string | null} */
  let entered = null;
  /** New ones that were not seen yet. @type {string[]} */
  let unseen = [];
  let known = { first: "", last: "" };

  const atTop = observer(() => void loadOlder());
  const near = observer((target) => {
    near.unobserve(target);
    /** @type {any} */ (target).wake();
  });
  const seen = observer(() => setUnseen([]), "0px");
  atTop.observe(older);

  function observer(/** @type {(target: Element) => void} */ run, rootMargin = AHEAD) {
    return new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) run(entry.target);
    }, { root: scroller, rootMargin });
  }

  /** Renders the messages so that what is in sight stays where it is. */
  function around(/** @type {any[]} */ messages, /** @type {() => void} */ render) {
    const { conversation } = store.state;
    const first = messages[0]?.id ?? "";
    const last = messages.at(-1)?.id ?? "";
    const anchor = entered === conversation.id && first !== known.first ? list.firstElementChild : null;
    const before = anchor?.getBoundingClientRect().top ?? 0;
    render();
    showOlder();
    if (anchor?.isConnected) scroller.scrollTop += anchor.getBoundingClientRect().top - before;
    if (entered === conversation.id && last !== known.last) arrived(messages);
    known = { first, last };
  }

  function showOlder() {
    const { isLoadingOlder, messages, olderError, total } = store.state.conversation;
    setHidden(older, messages.length === 0 || messages.length >= total);
    setAttribute(older, "aria-busy", isLoadingOlder ? "true" : null);
    setText(older, olderError ? t("reader.olderFailed") : t("reader.older"));
  }

  function arrived(/** @type {any[]} */ messages) {
    const at = messages.findIndex((message) => message.id === known.last);
    if (at < 0) return;
    const ids = messages.slice(at + 1).map((message) => message.id);
    const all = [...unseen, ...ids];
    const place = nodeOf(list, all[0])?.getBoundingClientRect().top;
    if (place >= scroller.getBoundingClientRect().bottom) {
      setUnseen(all);
      announce(plural("reader.newBelow", all.length));
    }
  }

  function setUnseen(/** @type {string[]} */ ids) {
    unseen = ids;
    seen.disconnect();
    const first = nodeOf(list, ids[0]);
    if (first) seen.observe(first);
    if (ids.length > 0) setText(below, plural("reader.newBelow", ids.length));
    setHidden(below, ids.length === 0);
  }

  function goBelow() {
    const [id] = unseen;
    setUnseen([]);
    to(id);
    nodeOf(list, id)?.querySelector("button").focus({ preventScroll: true });
  }

  /** Shows a thread from where one begins to read it. */
  function enter(/** @type {string | null} */ thread) {
    if (thread === entered) return;
    entered = thread;
    setUnseen([]);
    scroller.scrollTop = store.state.conversation.total > SHORT ? scroller.scrollHeight : 0;
  }

  function to(/** @type {string} */ id) {
    nodeOf(list, id)?.scrollIntoView({ block: "start" });
  }

  /** A message that was folded from far below stays in sight. */
  function keep(/** @type {string} */ id) {
    const message = nodeOf(list, id);
    if (message.getBoundingClientRect().top < scroller.getBoundingClientRect().top) to(id);
  }

  function stop() {
    for (const each of [atTop, near, seen]) each.disconnect();
  }

  return { node, around, enter, keep, stop, to, whenNear: (/** @type {Element} */ each) => near.observe(each) };
}
