/** The head of the list: "Threads", or the chosen agent and what the filter covers. */

import { copyButton } from "../lib/buttons.js";
import { el } from "../lib/dom.js";
import { plural, t } from "../lib/i18n.js";
import { chosenAgent } from "../model/agents.js";
import { mailboxLabel } from "../model/names.js";
import { store } from "../store.js";
import { avatar } from "./avatar.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountThreadsHead(parent) {
  const head = el("header", { class: "threads-head" });
  parent.append(head);
  let shown = "";
  return store.watch(["overview", "route"], () => {
    const { overview, route } = store.state;
    const facts = factsOf(overview.document, route);
    const now = JSON.stringify(facts);
    if (now === shown) return;
    shown = now;
    head.replaceChildren(...nodesOf(facts));
  });
}

/** What the head says. @param {any} overview @param {any} route */
function factsOf(overview, route) {
  const name = route.mailbox ?? route.agent;
  if (name === null) return null;
  const agent = chosenAgent(overview, route);
  const all = agent ? [...agent.mailboxes, ...agent.empties] : [];
  const mailbox = all.find((one) => one.id === route.mailbox) ?? null;
  return {
    label: agent?.label ?? name,
    agentName: agent?.name ?? null,
    // A mailbox by its name, and by its address where it has none; it may be gone.
    mailbox: route.mailbox && agent?.name !== null ? mailbox ? mailboxLabel(mailbox) : route.mailbox : null,
    address: route.mailbox && !mailbox?.display_name ? route.mailbox : null,
    count: all.length,
  };
}

/** @param {any} facts @returns {Node[]} */
function nodesOf(facts) {
  if (facts === null) return [el("h2", { class: "threads-title" }, t("threads.title"))];
  const party = { id: facts.label, agent_name: facts.agentName, display_name: null };
  // None while the fleet is not known, or once the agent is gone.
  const covers = facts.mailbox ?? (facts.count ? plural("threads.covers", facts.count) : "\u00a0");
  return [
    avatar(party, { size: "large" }),
    el(
      "div",
      { class: "threads-names" },
      el("h2", { class: "threads-title one-line own-direction", title: facts.label }, facts.label),
      el("p", { class: "soft small one-line own-direction", title: covers }, covers),
    ),
    facts.address ? copyButton(() => facts.address, t("threads.address")) : "",
  ].filter((node) => node !== "");
}
