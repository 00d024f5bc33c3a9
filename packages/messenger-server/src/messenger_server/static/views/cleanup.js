/** The clean-up window: by a criterion, or on one mailbox alone. */

import { isDialogOpen } from "../lib/dialog.js";
import { openCleanupByCriterion } from "./cleanup_many.js";
import { openCleanupOfOne } from "./cleanup_one.js";

/** Opens it, on one mailbox alone when its address is given. @param {string} [address] */
export function openCleanup(address) {
  if (isDialogOpen()) return; // two quick clicks, and this module came late
  if (address === undefined) openCleanupByCriterion();
  else openCleanupOfOne(address);
}
