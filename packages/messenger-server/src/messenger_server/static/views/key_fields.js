/** The fields of the key windows, each with what is wrong with it. */

import { Problem } from "../lib/api.js";
import { el, newId, setAttribute, setText } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { LIFETIMES, USUAL_DAYS } from "../model/keys.js";
import { errorText } from "./states.js";

/** @typedef {{node: HTMLElement, input: any, hint: HTMLElement, showFault: (text?: string) => void}} Field */

/** A field with its label above and, below, a hint and what is wrong. @param {string} label @param {any} input @returns {Field} */
export function field(label, input) {
  const hint = el("p", { class: "field-hint", id: newId("hint") });
  const fault = el("p", { class: "field-error", id: newId("fault") });
  input.id = newId("field");
  setAttribute(input, "aria-describedby", `${hint.id} ${fault.id}`);
  const showFault = (text = "") => {
    setText(fault, text);
    setAttribute(input, "aria-invalid", text ? "true" : null);
  };
  input.addEventListener("input", () => showFault());
  const name = el("label", { class: "field-label", for: input.id }, label);
  return { node: el("div", { class: "field" }, name, input, hint, fault), input, hint, showFault };
}

/** A field for a text. @param {string} label @param {number} most Characters. */
export function textField(label, most, value = "", tag = "input") {
  return field(label, el(tag, { class: "input", dir: "auto", maxlength: most, autocomplete: "off", value }));
}

/** What can be changed of a key later too: fields by their names in the request. @param {any} [key] */
export function keyFields(key = { name: "", agent_description: "" }) {
  return {
    name: textField(t("keys.name"), 120, key.name),
    agent_description: textField(t("keys.description"), 1000, key.agent_description ?? "", "textarea"),
  };
}

/** What it may do, likewise. @param {any} [key] */
export function keyChecks(key = { can_send: true, relay: false }) {
  const [canSend, relay] = [key.can_send, key.relay].map((checked) => el("input", { type: "checkbox", checked }));
  const check = (/** @type {Node} */ input, /** @type {string} */ label) => el("label", { class: "check" }, input, label);
  return {
    nodes: [check(canSend, t("keys.canSend")), check(relay, t("keys.relay"))],
    read: () => ({ can_send: canSend.checked, relay: relay.checked }),
  };
}

/** How long a key is good. @param {string} label @returns {Field & {days: () => number | null}} */
export function lifetimeField(label) {
  const texts = [t("keys.days30"), t("keys.days90"), t("keys.days365"), t("keys.forever")];
  const options = LIFETIMES.map((days, at) => el("option", { value: days ?? "", selected: days === USUAL_DAYS }, texts[at]));
  const select = el("select", { class: "input" }, ...options);
  return { ...field(label, select), days: () => Number(select.value) || null };
}

/** What is typed, without blanks around it. @param {Field} field @returns {string} */
export function textOf({ input }) {
  return input.value.trim();
}

/** Whether a required field is filled in; says so when not. @param {Field} field */
export function isFilled(field) {
  if (textOf(field)) return true;
  field.showFault(t("keys.required"));
  field.input.focus();
  return false;
}

/**
 * Says at each field what the server finds wrong with it, and goes to the first one.
 *
 * @param {Record<string, Field>} fields By their names in the request. @param {unknown} error
 * @returns {string} What belongs to no field.
 */
export function showFaults(fields, error) {
  const faults = error instanceof Problem ? error.errors.filter((fault) => fault.field in fields) : [];
  for (const fault of faults) fields[fault.field].showFault(fault.message);
  if (faults.length === 0) return errorText(error);
  fields[faults[0].field].input.focus();
  return "";
}
