/** The criteria of a clean-up: a choice of three, two of them with a day. */

import { el, newId, setAttribute, setText } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { CRITERIA, dayBack, startOfDay } from "../model/cleanup.js";

const USUAL_DAYS = 30;

/**
 * @param {{onChange: () => void, onAsk: () => void}} told `onAsk`: Enter in the form.
 * @returns {{node: HTMLElement, read: () => import("../model/cleanup.js").Asked | null,
 *   showFault: (text: string) => void}} `read` gives `null` and says why when there is no day to
 *   count from.
 */
export function criteriaForm({ onChange, onAsk }) {
  const group = newId("criterion");
  const fault = el("p", { class: "field-error", id: newId("fault"), role: "alert" });
  const choices = CRITERIA.map((name) => choice(name, group, fault.id));
  const chosen = () => choices.find((each) => each.radio.checked) ?? choices[0];
  const showFault = (text = "") => {
    setText(fault, text);
    for (const { day, radio } of choices) {
      if (day) setAttribute(day, "aria-invalid", text && radio.checked ? "true" : null);
    }
  };
  const change = () => {
    showFault();
    onChange();
  };
  const submit = (event) => {
    event.preventDefault();
    onAsk();
  };
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  const legend = el("legend", { class: "field-label" }, t("cleanup.which"));
  const node = el(
    "form",
    { novalidate: true, on: { input: change, submit } },
    el("fieldset", { class: "choices" }, legend, ...choices.map((each) => each.node)),
    fault,
    el("p", { class: "field-hint" }, t("cleanup.zone", { zone })),
    el("button", { hidden: true }), // Enter in a field asks only where a form has a submit button
  );
  const read = () => {
    const { name, day } = chosen();
    showFault();
    if (!day) return { criterion: name, before: null };
    const start = startOfDay(day.value);
    if (start.at) return { criterion: name, before: start.at };
    showFault(start.fault === "future" ? t("cleanup.dayFuture") : t("cleanup.dayMissing"));
    day.focus();
    return null;
  };
  choices[0].radio.checked = true;
  return { node, read, showFault };
}

/** @param {typeof CRITERIA[number]} name @param {string} group @param {string} faultId */
function choice(name, group, faultId) {
  const [labelId, hintId] = [newId("label"), newId("hint")];
  const [label, hint] = {
    empty: [t("cleanup.empty"), t("cleanup.emptyHint")],
    stale: [t("cleanup.stale"), t("cleanup.staleHint")],
    created: [t("cleanup.created"), t("cleanup.createdHint")],
  }[name];
  const radio = el("input", { type: "radio", name: group, "aria-describedby": hintId });
  const choose = () => { // touching the day means this criterion
    if (!radio.checked) radio.click();
  };
  const day = name !== "empty" && el("input", {
    type: "date",
    class: "input",
    value: dayBack(USUAL_DAYS),
    max: dayBack(0),
    "aria-labelledby": labelId,
    "aria-describedby": faultId,
    on: { focus: choose },
  });
  const node = el(
    "div",
    { class: "criterion" },
    el("label", { class: "check" }, radio, el("span", { id: labelId }, label)),
    day,
    el("p", { class: "field-hint", id: hintId }, hint),
  );
  return { node, name, radio, day };
}
