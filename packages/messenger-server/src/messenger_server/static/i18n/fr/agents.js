/** La colonne des agents. */
export default {
  "agents.title": "Agents",
};
