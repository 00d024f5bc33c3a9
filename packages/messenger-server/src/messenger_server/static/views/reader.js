/** The reader: the whole conversation of the open thread, in order. */

import { loadConversation, openMessage, openMessages, reach } from "../actions/conversation.js";
import { navigate } from "../actions/navigation.js";
import { Problem } from "../lib/api.js";
import { el, setHidden } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { renderKeyed } from "../lib/keyed.js";
import { store } from "../store.js";
import { messageNode } from "./message.js";
import { readerHeader } from "./reader_header.js";
import { readerScroll } from "./reader_scroll.js";
import { emptyState, errorState, errorText, loadingState } from "./states.js";

const SKELETON_ROWS = 6;

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountReader(parent) {
  const header = readerHeader();
  const notice = el("div", { class: "reader-notice", role: "status", hidden: true });
  const list = el("ol", { class: "messages" });
  const state = el("div", { class: "reader-state" });
  const scroll = readerScroll(list, state);
  /** Which message the URL leads to, once the person is there. @type {string | null} */
  let reached = null;
  /** @type {string | null} */
  let thread = null;
  let parties = { text: "", all: /** @type {any[]} */ ([]) };

  function show() {
    const { route, conversation } = store.state;
    if (route.thread !== thread) {
      const before = thread;
      thread = route.thread;
      reached = null;
      queueMicrotask(() => followFocus(parent, before));
    }
    if (thread !== null && conversation.id !== thread) {
      void loadConversation(); // begins it, and comes here again
      return;
    }
    header.show();
    showState();
    showMessages();
    if (conversation.messages.length > 0) scroll.enter(thread);
    if (route.message === null) reached = null;
    else if (route.message !== reached && conversation.status === "ready") void goTo(route.message);
  }

  function showState() {
    const { error, messages, status } = store.state.conversation;
    const isThere = thread !== null && messages.length > 0;
    const isGone = error instanceof Problem && error.status === 404;
    const kind = isThere ? "" : thread === null ? "none" : isGone ? "gone" : status;
    showOnly(state, kind, () => stateNode(kind, error));
    setHidden(header.node, thread === null || (!isThere && status === "failed"));
    const text = isThere && isGone ? t("reader.threadGone") : isThere && error instanceof Problem ? errorText(error) : "";
    if (text || status === "ready") showOnly(notice, text, () => el("p", {}, text));
  }

  function showMessages() {
    const { bodies, conversation, openMessages: open } = store.state;
    const text = JSON.stringify(conversation.thread?.participants ?? []);
    if (text !== parties.text) parties = { text, all: JSON.parse(text) };
    const rows = thread === null ? [] : conversation.messages;
    scroll.around(rows, () => renderKeyed(list, rows, {
      key: (message) => message.id,
      create: (message) => messageNode(message, { whenNear: scroll.whenNear, onToggle }),
      update: (node, message) => node.show({
        message, isOpen: Object.hasOwn(open, message.id), body: bodies[message.id], parties: parties.all,
      }),
    }));
  }

  function onToggle(/** @type {string} */ id, /** @type {boolean} */ isOpen) {
    reached = isOpen ? id : null;
    openMessage(id, isOpen);
    scroll.keep(id);
  }

  async function goTo(/** @type {string} */ id) {
    reached = id;
    const isThere = await reach(id);
    if (reached !== id) return;
    if (isThere) {
      openMessages([id], true);
      scroll.to(id);
    } else {
      showOnly(notice, id, () => el("p", {}, t("reader.messageGone")));
    }
  }

  parent.append(header.node, notice, scroll.node);
  const stop = store.watch(["route", "conversation", "openMessages", "bodies"], show);
  return () => {
    stop();
    scroll.stop();
    parent.replaceChildren();
  };
}

/** Fills a node anew only when it shows another thing. */
function showOnly(/** @type {HTMLElement} */ node, /** @type {string} */ kind, /** @type {() => Node} */ create) {
  if (node.dataset.shows === kind) return;
  node.dataset.shows = kind;
  setHidden(node, kind === "");
  node.replaceChildren(...(kind === "" ? [] : [create()]));
}

/** @param {string} kind @param {unknown} error */
function stateNode(kind, error) {
  if (kind === "none") return emptyState({ icon: "thread", title: t("reader.choose"), text: t("reader.chooseHint") });
  if (kind === "gone") {
    const action = el("button", { type: "button", class: "button", on: { click: leave } }, t("reader.back"));
    return emptyState({ icon: "thread", title: t("reader.threadGone"), text: t("reader.threadGoneHint"), action });
  }
  if (kind === "failed") return errorState(error, () => void loadConversation());
  return loadingState(SKELETON_ROWS);
}

function leave() {
  navigate({ thread: null, message: null });
}

/** Where one panel is shown at a time, the focus goes with what is shown. */
function followFocus(/** @type {HTMLElement} */ reader, /** @type {string | null} */ before) {
  const focused = document.activeElement;
  if (!focused || focused === document.body || focused.checkVisibility()) return;
  const row = before && document.querySelector(`[data-thread="${CSS.escape(before)}"]`);
  const next = store.state.route.thread ? reader.querySelector(".reader-back") : row;
  if (next instanceof HTMLElement) next.focus();
}
