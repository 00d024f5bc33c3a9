/** The keys of the page. */
export default {
  "shortcuts.enter": "Open what has the focus",
  "shortcuts.help": "This sheet",
  "shortcuts.next": "Next or previous thread; in a conversation, message",
  "shortcuts.open": "Go into a thread; open or fold a message",
  "shortcuts.refresh": "Refresh now",
  "shortcuts.refreshing": "Refreshing",
  "shortcuts.tabs": "Threads, links, API keys",
};
