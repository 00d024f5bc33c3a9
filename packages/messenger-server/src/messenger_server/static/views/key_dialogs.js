/** The window for a new key. */

import { createKey } from "../actions/keys.js";
import { openDialog } from "../lib/dialog.js";
import { el, newId, setHidden } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { store } from "../store.js";
import { refusal } from "./cleanup_parts.js";
import { isFilled, keyChecks, keyFields, lifetimeField, showFaults, textField, textOf } from "./key_fields.js";
import { openSecret } from "./key_secret.js";

/** Opens it. */
export function openNewKey() {
  const fields = {
    ...keyFields(),
    agent_name: agentField(),
    lifetime_days: lifetimeField(t("keys.lifetime")),
    vendor: textField(t("keys.vendor"), 40),
  };
  const { name, agent_name: agent, agent_description: description, lifetime_days: lifetime, vendor } = fields;
  const checks = keyChecks();
  const scope = scopeChoice((isBound) => setHidden(agent.node, !isBound));
  const refused = el("div");
  const id = newId("form");
  const submit = el("button", { class: "button primary", form: id }, t("keys.create"));
  const more = el("details", {}, el("summary", {}, t("keys.more")), el("div", { class: "choices" }, ...checks.nodes, vendor.node));
  const create = async () => {
    const isBound = scope.isBound();
    if (submit.disabled || !isFilled(name) || (isBound && !isFilled(agent))) return;
    submit.disabled = true;
    refused.replaceChildren();
    try {
      const made = await createKey({
        name: textOf(name),
        agent_name: isBound ? textOf(agent) : null,
        agent_description: textOf(description) || null,
        lifetime_days: lifetime.days(),
        vendor: textOf(vendor) || null,
        ...checks.read(),
      });
      dialog.close();
      openSecret(made);
    } catch (error) {
      const rest = showFaults(fields, error);
      if (rest) refused.append(refusal(rest));
    }
    submit.disabled = false;
  };
  const form = el(
    "form",
    { class: "keys-form", id, novalidate: true, on: { submit: (event) => {
      event.preventDefault();
      void create();
    } } },
    ...[name, scope, agent, description, lifetime].map((each) => each.node),
    more,
    refused,
  );
  const dialog = openDialog({ title: t("keys.new"), content: [form], footer: [submit] });
  name.input.focus();
}

/** The agents that there are, as proposals. */
function agentField() {
  const made = textField(t("keys.agent"), 120);
  const agents = store.state.overview.document?.agents ?? [];
  const options = agents.map((agent) => agent.agent_name && el("option", { value: agent.agent_name }));
  const list = el("datalist", { id: newId("agents") }, ...options);
  made.input.setAttribute("list", list.id);
  made.node.append(list);
  return made;
}

/** @param {(isBound: boolean) => void} onChange */
function scopeChoice(onChange) {
  const name = newId("scope");
  const [one, all] = [true, false].map((checked) => el("input", { type: "radio", name, checked }));
  const node = el(
    "fieldset",
    { class: "choices", on: { change: () => onChange(one.checked) } },
    el("legend", { class: "field-label" }, t("keys.scope")),
    el("label", { class: "check" }, one, t("keys.scopeOne")),
    el("label", { class: "check" }, all, t("keys.scopeAll")),
  );
  return { node, isBound: () => one.checked };
}
