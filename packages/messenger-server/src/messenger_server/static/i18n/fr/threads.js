/** La liste des fils. */
export default {
  "threads.resizeAgents": "Largeur de la colonne des agents",
  "threads.resizeThreads": "Largeur de la liste des fils",
  "threads.title": "Fils",
};
