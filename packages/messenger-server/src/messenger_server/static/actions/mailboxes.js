/** Mailboxes: the names that the person gives them. */

import { send } from "../lib/api.js";
import { loadLinks } from "./links.js";
import { loadOverview } from "./overview.js";

/**
 * Names a mailbox; its agent reads the name at its next `whoami`.
 *
 * @param {string} address @param {string} name Empty clears it.
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export async function renameMailbox(address, name) {
  const body = { display_name: name.trim() || null };
  await send("PATCH", `/admin/mailboxes/${encodeURIComponent(address)}`, body);
  await Promise.all([loadOverview(), loadLinks()]);
}
