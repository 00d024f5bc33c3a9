/**
 * The fleet in the order of the agents column: what has been used before what is empty; inside each,
 * latest activity first; equal dates by address.
 */

import { agentLabel } from "./names.js";

/**
 * @typedef {any} Mailbox One of `GET /admin/overview`.
 * @typedef {{key: string, name: string | null, label: string, description: string | null,
 *   mailboxes: Mailbox[], empties: Mailbox[], first: Mailbox, unread: number, rankedAt: string,
 *   isConnected: boolean}} Agent `mailboxes` are those that were used, `first` is the first of all;
 *   `name` is `null` for a mailbox without an agent, which stands alone.
 */

/** Whether nothing was ever sent or received. @param {Mailbox} mailbox */
export function isEmpty(mailbox) {
  return mailbox.last_activity_at === null;
}

/** The time that ranks a mailbox. @param {Mailbox} mailbox */
export function rankedAt(mailbox) {
  return mailbox.last_activity_at ?? mailbox.created_at;
}

/** @typedef {{used: Agent[], empty: Agent[]}} Fleet `empty`: agents with empty mailboxes only. */

/** Made once for each overview. @type {WeakMap<object, Fleet>} */
const fleets = new WeakMap();

/** @param {{agents: any[]} | null} overview @returns {Fleet} */
export function agentsOf(overview) {
  if (overview === null) return { used: [], empty: [] };
  if (!fleets.has(overview)) fleets.set(overview, fleetOf(overview));
  return /** @type {Fleet} */ (fleets.get(overview));
}

/** @returns {Fleet} */
function fleetOf(/** @type {{agents: any[]}} */ overview) {
  const agents = overview.agents.flatMap((group) => (
    group.agent_name === null
      ? group.mailboxes.map((/** @type {Mailbox} */ one) => agentOf(null, [one]))
      : [agentOf(group, group.mailboxes)]
  ));
  agents.sort(inOrder((agent) => agent.rankedAt, (agent) => agent.first.id));
  return {
    used: agents.filter((agent) => agent.mailboxes.length > 0),
    empty: agents.filter((agent) => agent.mailboxes.length === 0),
  };
}

/** @returns {Agent} */
function agentOf(/** @type {any} */ group, /** @type {Mailbox[]} */ all) {
  const sorted = [...all].sort(inOrder(rankedAt, (mailbox) => mailbox.id));
  const mailboxes = sorted.filter((mailbox) => !isEmpty(mailbox));
  const empties = sorted.filter(isEmpty);
  const first = mailboxes[0] ?? empties[0];
  return {
    key: group ? `agent ${group.agent_name}` : `mailbox ${all[0].id}`,
    name: group ? group.agent_name : null,
    label: agentLabel(all[0]),
    description: group ? group.agent_description : all[0].description,
    mailboxes,
    empties,
    first,
    unread: all.reduce((sum, mailbox) => sum + mailbox.unread, 0),
    rankedAt: rankedAt(first),
    isConnected: all.some((mailbox) => mailbox.last_seen_at !== null),
  };
}

/** Latest first, then by the other one. Times of one server compare as texts. */
function inOrder(/** @type {(one: any) => string} */ when, /** @type {(one: any) => string} */ name) {
  return (/** @type {any} */ one, /** @type {any} */ other) => {
    if (when(one) !== when(other)) return when(one) < when(other) ? 1 : -1;
    return name(one) < name(other) ? -1 : 1;
  };
}

/** The agent that a route is about. @param {any} overview @param {any} route @returns {Agent | null} */
export function chosenAgent(overview, route) {
  if (!route.mailbox && route.agent === null) return null;
  const { used, empty } = agentsOf(overview);
  const holds = (/** @type {Mailbox} */ mailbox) => mailbox.id === route.mailbox;
  const isIt = (/** @type {Agent} */ agent) => (
    route.mailbox ? agent.mailboxes.some(holds) || agent.empties.some(holds) : agent.name === route.agent
  );
  return used.find(isIt) ?? empty.find(isIt) ?? null;
}
