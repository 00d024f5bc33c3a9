/** What stands before the console: one calm card with a form, and the choice of language. */

import { switchLanguage } from "../actions/language.js";
import { Problem, Unreachable } from "../lib/api.js";
import { el, setHidden, setText } from "../lib/dom.js";
import { LANGUAGE_NAMES, language, t } from "../lib/i18n.js";
import { store } from "../store.js";
import { errorText } from "./states.js";

/**
 * What was typed when the page is built anew in another language.
 *
 * @type {{value: string, checked: boolean}[]}
 */
let draft = [];

/**
 * @param {HTMLElement} parent
 * @param {{title: string, intro?: string | null, form: HTMLFormElement}} what
 * @returns {() => void} Takes it away.
 */
export function mountFront(parent, { title, intro, form }) {
  const languages = Object.entries(LANGUAGE_NAMES).map(([tag, name]) => el(
    "button",
    {
      type: "button",
      class: "menu-item front-language",
      id: `language-${tag}`,
      lang: tag,
      "aria-pressed": tag === language() ? "true" : "false",
      on: { click: () => void switchLanguage(tag) },
    },
    name,
  ));
  const page = el(
    "main",
    { class: "front" },
    el("p", { class: "brand" }, el("span", { class: "brand-mark", "aria-hidden": "true" }), "Messenger"),
    el("div", { class: "front-card" }, el("h1", {}, title), intro && el("p", { class: "soft" }, intro), form),
    el("div", { class: "front-languages", role: "group", "aria-label": t("topbar.language") }, ...languages),
  );
  parent.append(page);
  const { state } = store.state.session;
  /** @type {HTMLInputElement[]} */
  const inputs = [...form.querySelectorAll("input")];
  draft.forEach((typed, at) => {
    Object.assign(inputs[at], typed);
    if (typed.value) inputs[at].dispatchEvent(new Event("input"));
  });
  draft = [];
  inputs.find((input) => !input.value)?.focus();
  return () => {
    if (store.state.session.state === state) draft = inputs.map(({ value, checked }) => ({ value, checked }));
    page.remove();
  };
}

/**
 * A form that sends on Enter and by its button, once at a time, and says what was refused.
 *
 * @param {{label: string, content: Node[], send: () => Promise<void>,
 *   explain?: (error: unknown) => string | null, class?: string}} what `explain` gives the sentence for
 *   a refusal, `null` when it was said elsewhere.
 * @returns {HTMLFormElement}
 */
export function sendingForm({ label, content, send, explain = errorText, class: name = "front-form" }) {
  const button = el("button", { type: "submit", class: "button primary" }, label);
  const fault = el("p", { class: "field-error", role: "alert" });
  const wait = el("p", { class: "field-hint", role: "timer", hidden: true });
  // Own sentences instead of the browser's, which speak its language.
  const form = el("form", { class: name, method: "post", novalidate: true }, ...content, fault, wait, button);
  let isSending = false;
  form.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (isSending || button.disabled) return;
    isSending = true;
    setText(fault, "");
    try {
      await send();
    } catch (error) {
      if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
      const seconds = error instanceof Problem ? error.retryAfterSeconds : undefined;
      setText(fault, seconds ? t("signIn.tooManyTries") : explain(error) ?? "");
      if (seconds) countDown(seconds, wait, button);
    } finally {
      isSending = false;
    }
  });
  return form;
}

/**
 * Nothing is sent until so many seconds have passed.
 *
 * @param {number} seconds @param {HTMLElement} wait @param {HTMLButtonElement} button
 */
function countDown(seconds, wait, button) {
  const end = performance.now() + seconds * 1000;
  const show = () => {
    const left = Math.ceil((end - performance.now()) / 1000);
    setHidden(wait, left <= 0);
    button.disabled = left > 0;
    if (left <= 0) return;
    const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    setText(wait, t("signIn.wait", { time }));
    if (wait.isConnected || left === seconds) setTimeout(show, 1000);
  };
  show();
}
