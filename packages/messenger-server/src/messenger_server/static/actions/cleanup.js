/** Clean-up: what would go, and what goes. */

import { get, send } from "../lib/api.js";
import { isFilterGone, previewRequest, purgeBody } from "../model/cleanup.js";
import { store } from "../store.js";
import { navigate } from "./navigation.js";
import { refresh } from "./refresh.js";

/**
 * The mailboxes that meet a criterion now.
 *
 * @param {import("../model/cleanup.js").Asked} asked
 * @returns {Promise<import("../model/cleanup.js").Row[]>}
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export async function previewCleanup(asked) {
  return (await get(...previewRequest(asked))).mailboxes;
}

/**
 * Deletes these mailboxes if each still meets the criterion, else none.
 *
 * @param {import("../model/cleanup.js").Asked} asked @param {string[]} addresses
 * @returns {Promise<{deleted: number, messages_deleted: number, threads_deleted: number}>}
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export async function purgeMailboxes(asked, addresses) {
  const counts = await send("POST", "/admin/mailboxes/purge", purgeBody(asked, addresses));
  leave(addresses);
  return counts;
}

/**
 * Deletes one mailbox if nothing passed through it since what was shown.
 *
 * @param {{id: string, last_activity_at: string | null}} shown
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export async function deleteMailbox(shown) {
  const path = `/admin/mailboxes/${encodeURIComponent(shown.id)}`;
  await send("DELETE", path, undefined, { last_activity_at: shown.last_activity_at });
  leave([shown.id]);
}

/** Reads the rest again, without a filter on what is gone. @param {string[]} addresses */
function leave(addresses) {
  const { route, overview } = store.state;
  if (isFilterGone(route, new Set(addresses), overview.document?.agents ?? [])) {
    navigate({ agent: null, mailbox: null }, { replace: true });
  }
  void refresh();
}
