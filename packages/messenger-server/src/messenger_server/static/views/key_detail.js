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
import { isFilled, keyChecks, keyFields, lifetimeField, showFaults, textOf } from "./key_fields.js";
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
  const replace = button(t("keys.replace"), () => void act(told, async () => {
    const made = await rotateKey(first.id);
    dialog.close();
    openSecret(made, true);
  }));
  const revoke = twoStepButton({
    label: t("keys.revoke"),
    confirm: t("keys.revokeConfirm"),
    onConfirm: () => void act(told, () => revokeKey(first.id)),
  });
  dialog.body.replaceChildren(factList(facts), changeForm(first), extend.node, ...mailboxes(first.mailboxes));
  dialog.footer.replaceChildren(told, replace, revoke);
  return store.watch(["keys"], () => {
    const key = store.state.keys.rows.find((row) => row.id === first.id) ?? first;
    const isOver = key.state === "revoked";
    show(key);
    extend.show(key);
    setText(dialog.node.querySelector("h2"), key.name);
    setHidden(extend.node, isOver || key.replaced_by !== null);
    setHidden(replace, isOver || key.replaced_by !== null);
    setHidden(revoke, isOver);
  });
}

/**
 * Does something, and says there that it is done or why not.
 *
 * @param {HTMLElement} told @param {() => Promise<unknown>} work
 * @param {string} [done] @param {Record<string, import("./key_fields.js").Field>} [fields]
 */
async function act(told, work, done = "", fields = {}) {
  told.replaceChildren();
  try {
    await work();
    told.append(el("span", { role: "status", class: "soft" }, done));
  } catch (error) {
    const isOver = error instanceof Problem && error.code === "key_revoked";
    const text = isOver ? t("keys.isOver") : showFaults(fields, error);
    if (text) told.append(refusal(text));
  }
}

/**
 * A form with its button and, beside it, what came of it.
 *
 * @param {string} label @param {Node[]} nodes @param {(told: HTMLElement) => void} onSubmit
 * @param {() => void} [onInput]
 */
function formOf(label, nodes, onSubmit, onInput = () => {}) {
  const told = el("div", { class: "told" });
  const submit = (event) => {
    event.preventDefault();
    onSubmit(told);
  };
  const input = () => {
    told.replaceChildren();
    onInput();
  };
  const foot = el("div", { class: "keys-act" }, told, el("button", { class: "button" }, label));
  return el("form", { class: "keys-form", novalidate: true, on: { submit, input } }, ...nodes, foot);
}

/** @param {Key} key */
function changeForm(key) {
  const fields = keyFields(key);
  const { name, agent_description: description } = fields;
  const checks = keyChecks(key);
  const read = () => ({ name: textOf(name), agent_description: textOf(description), ...checks.read() });
  return formOf(t("keys.save"), [name.node, description.node, ...checks.nodes], (told) => {
    if (isFilled(name)) void act(told, () => changeKey(key.id, read()), t("keys.saved"), fields);
  });
}

/** @param {Key} first */
function extendForm(first) {
  const lifetime = lifetimeField(t("keys.extend"));
  let key = first;
  const show = (now = key) => {
    key = now;
    const until = extendedUntil(key, lifetime.days());
    setText(lifetime.hint, until ? t("keys.until", { until: date(until) }) : t("keys.untilNever"));
  };
  const extend = (/** @type {HTMLElement} */ told) => {
    void act(told, () => extendKey(key.id, lifetime.days()), t("keys.saved"));
  };
  return { node: formOf(t("keys.extendNow"), [lifetime.node], extend, () => show()), show };
}

/** @param {any[]} rows As the directory has them. */
function mailboxes(rows) {
  const label = (/** @type {any} */ row) => el("span", { class: "breaks own-direction" }, partyLabel(row, rows));
  const list = rows.map((row) => el("li", {}, label(row), " ", addressNode(row.id)));
  return [el("h3", {}, t("keys.mailboxes")), el("ul", { role: "list" }, ...(rows.length > 0 ? list : ["–"]))];
}
