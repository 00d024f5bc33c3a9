/** Les touches de la page. */
export default {
  "shortcuts.enter": "Ouvrir l’élément sélectionné",
  "shortcuts.help": "Cette fiche",
  "shortcuts.next": "Fil suivant ou précédent ; dans une conversation, message",
  "shortcuts.open": "Entrer dans un fil ; ouvrir ou replier un message",
  "shortcuts.refresh": "Actualiser maintenant",
  "shortcuts.refreshing": "Actualisation",
  "shortcuts.tabs": "Fils, liens, clés d’API",
};
