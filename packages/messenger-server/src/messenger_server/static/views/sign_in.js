/** The sign-in page. */

import { signIn } from "../actions/session.js";
import { Problem } from "../lib/api.js";
import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { store } from "../store.js";
import { areFilled, field } from "./field.js";
import { mountFront, sendingForm } from "./front.js";
import { passwordField } from "./password_field.js";
import { errorText } from "./states.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountSignIn(parent) {
  const name = usernameField();
  const password = passwordField(t("signIn.password"), "current-password");
  const remember = el("input", { type: "checkbox", name: "remember" });
  const stay = el("label", { class: "check", title: t("signIn.stayHint") }, remember, t("signIn.stay"));
  const form = sendingForm({
    label: t("signIn.signIn"),
    content: [name.node, password.node, stay],
    async send() {
      if (!areFilled(name, password)) return;
      const typed = { username: name.input.value, password: password.input.value };
      await signIn({ ...typed, remember: remember.checked });
    },
    explain(error) {
      if (!(error instanceof Problem) || error.code !== "invalid_credentials") return errorText(error);
      password.input.focus();
      password.input.select();
      return t("signIn.wrong");
    },
  });
  /** @type {Record<string, string>} */
  const intros = { ended: t("signIn.ended"), alreadySetUp: t("signIn.alreadySetUp") };
  return mountFront(parent, { title: t("signIn.title"), intro: intros[store.state.session.reason], form });
}

/** The name of the account. */
export function usernameField() {
  const own = { class: "input", name: "username", autocomplete: "username", maxlength: 64, dir: "auto" };
  const input = el("input", { ...own, autocapitalize: "none", spellcheck: "false" });
  return field(t("signIn.username"), input);
}
