/** The keys of the page. */
export default {
  "shortcuts.back": "Back to the list",
  "shortcuts.enter": "Open what has the focus",
  "shortcuts.help": "This sheet",
  "shortcuts.next": "Next or previous thread; in a conversation, message",
  "shortcuts.open": "Go into a thread; open or fold a message",
  "shortcuts.refresh": "Refresh now",
  "shortcuts.refreshing": "Refreshing",
  "shortcuts.search": "Search",
  "shortcuts.tabs": "Threads, links, API keys",
  "shortcuts.title": "Keyboard shortcuts",
};
