/** The agents column. */
export default {
  "agents.all": "All agents",
  "agents.cleanup": "Delete {name}",
  "agents.collapse": "Collapse the agents column",
  "agents.empty": { one: "{count} agent without mail", other: "{count} agents without mail" },
  "agents.emptyMailboxes": { one: "{count} empty mailbox", other: "{count} empty mailboxes" },
  "agents.expand": "Open the agents column",
  "agents.fold": "Mailboxes of {name}",
  "agents.never": "never connected",
  "agents.none": "No agent yet",
  "agents.title": "Agents",
  "agents.unread": { one: "{count} not read yet", other: "{count} not read yet" },
};
