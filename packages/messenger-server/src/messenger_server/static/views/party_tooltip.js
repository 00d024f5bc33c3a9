/** What an avatar or a name says more when the pointer rests on it. */

import { t } from "../lib/i18n.js";

/**
 * Name of the mailbox, its agent, its address, and whether it is gone: one line each.
 *
 * @param {import("../model/names.js").Party} party
 */
export function partyTooltip(party) {
  const lines = [party.display_name, party.agent_name, party.id, party.deleted && t("reader.deleted")];
  return lines.filter(Boolean).join("\n");
}
