/** Textes communs à toutes les vues. */
export default {
  "common.close": "Fermer",
  "common.copied": "Copié",
  "common.copy": "Copier {what}",
  "common.failed": "Le chargement a échoué",
  "common.loading": "Chargement",
  "common.notCopied": "Non copié : le navigateur a refusé",
  "common.notices": "Avis",
  "common.required": "À remplir.",
  "common.retry": "Réessayer",
  "common.serverFailed": "Le serveur a échoué. Son journal en donne la cause sous l’identifiant {id}.",
  "common.skip": "Aller au contenu",
  "common.titleUnread": "({count}) Messenger",
  "common.unreachable": "Le serveur ne répond pas. Réessayez quand il sera revenu.",
};
