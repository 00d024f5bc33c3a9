/** Fields of passwords: shown on demand, weighed while a new one is typed, and repeated. */

import { iconButton } from "../lib/buttons.js";
import { el, setAttribute, setHidden, setText } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { judge } from "../model/passwords.js";
import { field } from "./field.js";

/**
 * A password, with a button that shows it.
 *
 * @param {string} label @param {"current-password" | "new-password"} kind
 * @returns {import("./field.js").Field}
 */
export function passwordField(label, kind) {
  const own = { class: "input", type: "password", name: kind, autocomplete: kind };
  const input = el("input", { ...own, spellcheck: "false", autocapitalize: "none" });
  const eye = iconButton("eye", t("signIn.show"), () => {
    const isShown = input.type === "text";
    input.type = isShown ? "password" : "text";
    setAttribute(eye, "aria-pressed", isShown ? "false" : "true");
  }, { "aria-pressed": "false" });
  return field(label, input, { around: () => el("div", { class: "password" }, input, eye) });
}

/**
 * A new password and its repetition.
 *
 * @param {string} label
 * @param {() => string} username Which the password should not hold.
 * @returns {{nodes: HTMLElement[], password: import("./field.js").Field, isGood: () => boolean,
 *   clear: () => void}} `isGood` says what is wrong when it is not, and goes there.
 */
export function newPassword(label, username) {
  const password = passwordField(label, "new-password");
  const again = passwordField(t("signIn.repeat"), "new-password");
  const bars = [1, 2, 3].map(() => el("span", {}));
  const meter = el("div", { class: "strength", "aria-hidden": "true" }, ...bars);
  const word = el("p", { class: "field-hint", role: "status" });
  password.node.append(meter, word);
  const verdict = () => judge(password.input.value, username());
  const weigh = () => {
    const found = password.input.value ? verdict() : "none";
    setAttribute(meter, "data-level", found.replace(/[A-Z]\w*/, ""));
    setText(word, said(found));
  };
  const isSame = () => again.input.value === password.input.value;
  const compare = () => {
    const { value } = again.input;
    // While it is typed, what it begins with is no mistake yet.
    const isBegun = document.activeElement === again.input && password.input.value.startsWith(value);
    again.showFault(!value || isBegun || isSame() ? "" : t("signIn.mismatch"));
  };
  password.input.addEventListener("input", () => void (weigh(), compare()));
  again.input.addEventListener("input", compare);
  again.input.addEventListener("blur", compare);
  weigh();
  return {
    nodes: [password.node, again.node],
    password,
    isGood() {
      const isTaken = !["short", "long"].includes(verdict());
      password.showFault(isTaken ? "" : said(verdict()));
      if (!isTaken) setText(word, ""); // the fault says it
      const isGood = isTaken && isSame();
      if (isTaken && !isGood) again.showFault(t("signIn.mismatch"));
      if (!isGood) (isTaken ? again : password).input.focus();
      return isGood;
    },
    clear() {
      password.input.value = again.input.value = "";
      weigh();
    },
  };
}

/** @param {import("../model/passwords.js").Verdict | "none"} verdict */
function said(verdict) {
  return {
    none: t("signIn.passwordHint"),
    short: t("signIn.short"),
    long: t("signIn.long"),
    weakName: t("signIn.weakName"),
    weakCommon: t("signIn.weakCommon"),
    weakRepeated: t("signIn.weakRepeated"),
    weakSimple: t("signIn.weakSimple"),
    fair: t("signIn.fair"),
    strong: t("signIn.strong"),
  }[verdict];
}
