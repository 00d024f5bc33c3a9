/** What the windows of clean-up and keys have in common. */

import { copyButton } from "../lib/buttons.js";
import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { icon } from "../lib/icons.js";

/** @typedef {ReturnType<typeof import("../lib/dialog.js").openDialog>} Dialog */

/** @param {string} text @param {() => void} onClick */
export function button(text, onClick, name = "button") {
  return el("button", { type: "button", class: name, on: { click: onClick } }, text);
}

/** A mailbox's address with its copy button. @param {string} address */
export function addressNode(address) {
  const text = el("span", { class: "mono one-line soft", title: address }, address);
  return el("span", { class: "address" }, text, copyButton(() => address, address));
}

/** Labels and what they stand for. @param {[label: string, value: string | Node][]} facts */
export function factList(facts) {
  const rows = facts.map(([label, value]) => el("div", {}, el("dt", {}, label), el("dd", {}, value)));
  return el("dl", { class: "window-facts" }, ...rows);
}

/** Why an act was refused, where it was asked for. @param {string} text @param {...Node} actions */
export function refusal(text, ...actions) {
  const words = el("p", { class: "breaks own-direction", role: "alert" }, text);
  return el("div", { class: "refusal" }, icon("warning"), words, ...actions);
}

/** Says what disappears and what does not. */
export function goesNote() {
  return el("p", { class: "cleanup-note soft" }, t("cleanup.goes"));
}

/**
 * Shows what was done in place of the window's content; the window stays until it is closed.
 *
 * @param {Dialog} dialog @param {string} text @param {...Node} more Buttons before the one that closes.
 */
export function showResult(dialog, text, ...more) {
  const done = button(t("common.close"), dialog.close, "button primary");
  setBusy(dialog, false);
  dialog.body.replaceChildren(el("p", { class: "breaks", role: "status" }, text));
  dialog.footer.replaceChildren(...more, done);
  done.focus();
}

/**
 * Nothing in the window can be used while the server works.
 *
 * @param {Dialog} dialog @param {boolean} isBusy
 */
export function setBusy(dialog, isBusy) {
  dialog.body.inert = dialog.footer.inert = isBusy;
}
