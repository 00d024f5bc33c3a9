/** How many mailboxes of the links' window nothing links yet. */

/** @returns {number} */
export function unlinkedCount() {
  return 0;
}
