/** The whole page: which of sign-in, setup and console is shown, in which language. */

import { loadSession } from "../actions/session.js";
import { el } from "../lib/dom.js";
import { store } from "../store.js";
import { mountConsole } from "./console.js";
import { mountLazily } from "./lazy.js";
import { errorState } from "./states.js";

/** @type {Record<string, (parent: HTMLElement) => () => void>} */
const PAGES = {
  setup: (parent) => mountLazily("setup", parent),
  sign_in: (parent) => mountLazily("sign_in", parent),
  signed_in: mountConsole,
};

let root = document.body;
let shown = "";
let unmount = () => {};

/** Shows the page that belongs to the session, and follows it. @param {HTMLBodyElement | HTMLElement} parent */
export function mountPage(parent) {
  root = parent;
  store.watch(["session", "language"], show);
  void ask();
  document.addEventListener("visibilitychange", lookAgain);
}

/** The person may have signed in on another page of this browser. */
function lookAgain() {
  const isBefore = ["setup", "sign_in"].includes(store.state.session.state);
  if (isBefore && !document.hidden) loadSession().catch(() => {});
}

function show() {
  const { session, language } = store.state;
  const page = `${session.state} ${language}`;
  if (page === shown || !(session.state in PAGES)) return;
  shown = page;
  const focused = document.activeElement?.id;
  unmount();
  document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
  unmount = PAGES[session.state](root);
  // In another language the same thing has the focus.
  if (focused) document.getElementById(focused)?.focus();
}

async function ask() {
  try {
    await loadSession();
  } catch (error) {
    const again = () => {
      view.remove();
      void ask();
    };
    const view = el("main", { class: "page-failed" }, errorState(error, again));
    root.append(view);
  }
}
