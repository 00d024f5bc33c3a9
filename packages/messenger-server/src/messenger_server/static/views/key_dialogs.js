/** The window for a new key. */

import { createKey } from "../actions/keys.js";
import { openDialog } from "../lib/dialog.js";
import { el, newId, setHidden } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { store } from "../store.js";
import { areFilled, showFaults } from "./field.js";
import { sendingForm } from "./front.js";
import { keyChecks, keyFields, lifetimeField, textField, textOf } from "./key_fields.js";
import { openSecret } from "./key_secret.js";

/** Opens it. */
export function openNewKey() {
  const { name, agent_description: description } = keyFields();
  const agent = agentField();
  const lifetime = lifetimeField(t("keys.lifetime"));
  const vendor = textField(t("keys.vendor"), 40);
  const checks = keyChecks();
  const fields = { name, agent_name: agent, agent_description: description, lifetime_days: lifetime, vendor };
  const scope = scopeChoice((isBound) => setHidden(agent.node, !isBound));
  const summary = el("summary", {}, t("keys.more"));
  const more = el("details", {}, summary, el("div", { class: "choices" }, ...checks.nodes, vendor.node));
  const form = sendingForm({
    label: t("keys.create"),
    content: [...[name, scope, agent, description, lifetime].map((each) => each.node), more],
    class: "keys-form",
    async send() {
      const isBound = scope.isBound();
      if (!areFilled(name, ...(isBound ? [agent] : []))) return;
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
    },
    explain: (error) => showFaults(fields, error),
  });
  const dialog = openDialog({ title: t("keys.new"), content: [form] });
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
