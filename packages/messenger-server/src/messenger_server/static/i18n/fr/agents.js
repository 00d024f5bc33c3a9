/** La colonne des agents. */
export default {
  "agents.all": "Tous les agents",
  "agents.cleanup": "Supprimer {name}",
  "agents.collapse": "Replier la colonne des agents",
  "agents.empty": {
    one: "{count} agent sans courrier",
    many: "{count} d’agents sans courrier",
    other: "{count} agents sans courrier",
  },
  "agents.emptyMailboxes": {
    one: "{count} boîte vide",
    many: "{count} de boîtes vides",
    other: "{count} boîtes vides",
  },
  "agents.expand": "Déplier la colonne des agents",
  "agents.fold": "Boîtes de {name}",
  "agents.never": "jamais connectée",
  "agents.none": "Aucun agent pour l’instant",
  "agents.title": "Agents",
  "agents.unread": { one: "{count} non lu", many: "{count} non lus", other: "{count} non lus" },
};
