/** The fields that the windows of keys have in common. */

import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { LIFETIMES, USUAL_DAYS } from "../model/keys.js";
import { field } from "./field.js";

/** A field for a text. @param {string} label @param {number} most Characters. */
export function textField(label, most, value = "", tag = "input") {
  return field(label, el(tag, { class: "input", dir: "auto", maxlength: most, autocomplete: "off", value }));
}

/** What is typed, without blanks around it. @param {import("./field.js").Field} field @returns {string} */
export function textOf({ input }) {
  return input.value.trim();
}

/** What can be changed of a key later too, by its name in the request. @param {any} [key] */
export function keyFields(key = { name: "", agent_description: "" }) {
  return {
    name: textField(t("keys.name"), 120, key.name),
    agent_description: textField(t("keys.description"), 1000, key.agent_description ?? "", "textarea"),
  };
}

/** What it may do, likewise. @param {any} [key] */
export function keyChecks(key = { can_send: true, relay: false }) {
  const box = (/** @type {boolean} */ checked) => el("input", { type: "checkbox", checked });
  const [canSend, relay] = [key.can_send, key.relay].map(box);
  return {
    nodes: [
      el("label", { class: "check" }, canSend, t("keys.canSend")),
      el("label", { class: "check" }, relay, t("keys.relay")),
    ],
    read: () => ({ can_send: canSend.checked, relay: relay.checked }),
  };
}

/** How long a key is good. @param {string} label */
export function lifetimeField(label) {
  const texts = [t("keys.days30"), t("keys.days90"), t("keys.days365"), t("keys.forever")];
  const options = LIFETIMES.map((days, at) => {
    const own = { value: days ?? "", selected: days === USUAL_DAYS };
    return el("option", own, texts[at]);
  });
  const select = el("select", { class: "input" }, ...options);
  return { ...field(label, select), days: () => Number(select.value) || null };
}
