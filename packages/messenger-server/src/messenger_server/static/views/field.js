/** Fields of forms, each with what is wrong with it. */

import { Problem } from "../lib/api.js";
import { el, newId, setAttribute, setHidden, setText } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { errorText } from "./states.js";

/** @typedef {{node: HTMLElement, input: any, showFault: (text: string) => void}} Field */

/**
 * A field with its label above, and its hint and its fault below.
 *
 * @param {string} label @param {any} input
 * @param {{hint?: string, around?: (input: any) => Node}} [more] `around`: what holds the input, when
 *   something stands in it besides.
 * @returns {Field}
 */
export function field(label, input, { hint = "", around = (node) => node } = {}) {
  const [id, hintId, faultId] = ["field", "hint", "fault"].map(newId);
  const fault = el("p", { class: "field-error", id: faultId, hidden: true });
  setAttribute(input, "id", id);
  setAttribute(input, "aria-describedby", hint ? `${hintId} ${faultId}` : faultId);
  const showFault = (/** @type {string} */ text) => {
    setText(fault, text);
    setHidden(fault, !text);
    setAttribute(input, "aria-invalid", text ? "true" : null);
  };
  input.addEventListener("input", () => showFault(""));
  const node = el(
    "div",
    { class: "field" },
    el("label", { class: "field-label", for: id }, label),
    around(input),
    hint && el("p", { class: "field-hint", id: hintId }, hint),
    fault,
  );
  return { node, input, showFault };
}

/** Says which fields are empty, and goes to the first; gives whether none is. @param {Field[]} fields */
export function areFilled(...fields) {
  const empty = fields.filter(({ input }) => input.value.trim() === "");
  for (const { showFault } of empty) showFault(t("common.required"));
  empty[0]?.input.focus();
  return empty.length === 0;
}

/**
 * Says at each field what is wrong with it, and goes to the first one.
 *
 * @param {Record<string, Field>} fields By their names in the request.
 * @param {unknown} error
 * @returns {string} What belongs to no field.
 */
export function showFaults(fields, error) {
  const faults = error instanceof Problem ? error.errors.filter((fault) => fault.field in fields) : [];
  for (const fault of faults) fields[fault.field].showFault(fault.message);
  if (faults.length === 0) return errorText(error);
  fields[faults[0].field].input.focus();
  return "";
}
