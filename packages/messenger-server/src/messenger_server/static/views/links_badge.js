/** How many mailboxes of the links' window nothing links yet. */

import { linksWindow } from "../actions/links.js";
import { countUnlinked, entriesOf, linksByMailbox } from "../model/timeline.js";
import { store } from "../store.js";

/** @returns {number} None before both are known. */
export function unlinkedCount() {
  const { overview, links } = store.state;
  if (!overview.document || links.status === "loading") return 0;
  return countUnlinked(entriesOf(overview.document.agents), linksByMailbox(links.rows), linksWindow());
}
