/** The window of one key: its facts, what can be changed, its mailboxes, and its end. */

import { changeKey, extendKey, readKey, revokeKey, rotateKey } from "../actions/keys.js";
import { Problem } from "../lib/api.js";
import { twoStepButton } from "../lib/buttons.js";
import { date } from "../lib/dates.js";
import { openDialog } from "../lib/dialog.js";
import { el, setHidden, setText } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { extendedUntil } from "../model/keys.js";
import { partyLabel } from "../model/names.js";
import { store } from "../store.js";
import { addressNode, button, factList, refusal } from "./cleanup_parts.js";
import { areFilled, showFaults } from "./field.js";
import { sendingForm } from "./front.js";
import { keyChecks, keyFields, lifetimeField, textOf } from "./key_fields.js";
import { keyFacts } from "./key_row.js";
import { openSecret } from "./key_secret.js";
import { errorState, loadingState } from "./states.js";

/** @typedef {import("../model/keys.js").Key} Key */

/** Opens it. @param {string} id */
export function openKey(id) {
  let stop = () => {};
  const dialog = openDialog({ title: t("keys.key"), content: [], onClose: () => stop() });
  const load = async () => {
    dialog.body.replaceChildren(loadingState(6));
    try {
      const key = await readKey(id);
      if (dialog.node.open) stop = fill(dialog, key);
    } catch (error) {
      dialog.body.replaceChildren(errorState(error, load));
    }
  };
  void load();
}

/**
 * Builds it once: refreshes change its facts and no field.
 *
 * @param {import("./cleanup_parts.js").Dialog} dialog @param {Key & {mailboxes: any[]}} first
 * @returns {() => void} Ends following them.
 */
function fill(dialog, first) {
  const { facts, show } = keyFacts(first);
  const extend = extendForm(first);
  const told = el("div", { class: "told" });
  const act = (/** @type {() => Promise<unknown>} */ work) => {
    told.replaceChildren();
    work().catch((error) => told.replaceChildren(refusal(whyNot(error))));
  };
  const replace = button(t("keys.replace"), () => act(async () => {
    const made = await rotateKey(first.id);
    dialog.close();
    openSecret(made, true);
  }));
  const revoke = twoStepButton({
    label: t("keys.revoke"),
    confirm: t("keys.revokeConfirm"),
    onConfirm: () => act(() => revokeKey(first.id)),
  });
  const change = changeForm(first);
  const about = el("p", { class: "soft breaks own-direction" });
  dialog.body.replaceChildren(factList(facts), about, change, extend.node, ...mailboxes(first.mailboxes));
  dialog.footer.replaceChildren(told, replace, revoke);
  return store.watch(["keys"], () => {
    const key = store.state.keys.rows.find((row) => row.id === first.id) ?? first;
    const isOver = key.state === "revoked";
    show(key);
    extend.show(key);
    setText(dialog.node.querySelector("h2"), key.name);
    // Nothing of it can be changed any more: what its form said is said in words.
    setText(about, isOver ? key.agent_description ?? "" : "");
    setHidden(about, about.textContent === "");
    setHidden(change, isOver);
    setHidden(extend.node, isOver || key.replaced_by !== null);
    setHidden(replace, isOver || key.replaced_by !== null);
    setHidden(revoke, isOver);
  });
}

/** @param {unknown} error */
function whyNot(error, fields = {}) {
  const isOver = error instanceof Problem && error.code === "key_revoked";
  return isOver ? t("keys.isOver") : showFaults(fields, error);
}

/** @param {Key} key */
function changeForm(key) {
  const fields = keyFields(key);
  const { name, agent_description: description } = fields;
  const checks = keyChecks(key);
  const told = el("p", { class: "field-hint", role: "status" });
  const form = sendingForm({
    label: t("keys.save"),
    content: [name.node, description.node, ...checks.nodes, told],
    class: "keys-form",
    async send() {
      setText(told, "");
      if (!areFilled(name)) return;
      const names = { name: textOf(name), agent_description: textOf(description) };
      await changeKey(key.id, { ...names, ...checks.read() });
      setText(told, t("keys.saved"));
    },
    explain: (error) => whyNot(error, fields),
  });
  form.addEventListener("input", () => setText(told, ""));
  return form;
}

/** @param {Key} first */
function extendForm(first) {
  const lifetime = lifetimeField(t("keys.extend"));
  const until = el("p", { class: "field-hint", role: "status" });
  let key = first;
  const show = (now = key) => {
    key = now;
    const end = extendedUntil(key, lifetime.days());
    setText(until, end ? t("keys.until", { until: date(end) }) : t("keys.untilNever"));
  };
  const node = sendingForm({
    label: t("keys.extendNow"),
    content: [lifetime.node, until],
    class: "keys-form",
    send: () => extendKey(key.id, lifetime.days()),
    explain: whyNot,
  });
  node.addEventListener("input", () => show());
  return { node, show };
}

/** @param {any[]} rows As the directory has them. */
function mailboxes(rows) {
  const look = { class: "breaks own-direction" };
  const label = (/** @type {any} */ row) => el("span", look, partyLabel(row, rows));
  const list = rows.map((row) => el("li", {}, label(row), " ", addressNode(row.id)));
  const all = rows.length > 0 ? el("ul", { role: "list" }, ...list) : el("p", {}, "–");
  return [el("h3", {}, t("keys.mailboxes")), all];
}
