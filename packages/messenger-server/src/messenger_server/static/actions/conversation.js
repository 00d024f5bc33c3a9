/** The open thread and its messages. */

import { store } from "../store.js";
import { loadSlice } from "./loading.js";

/** Reads the open thread again, if there is one. */
export async function loadConversation() {
  const { thread } = store.state.route;
  if (!thread) return;
  await loadSlice("conversation", `/admin/threads/${thread}`, { bodies: "false" }, (document) => ({
    thread: document.thread,
    messages: document.messages,
    total: document.total,
  }));
}
