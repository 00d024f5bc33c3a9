/** The agents column. */
export default {
  "agents.title": "Agents",
};
