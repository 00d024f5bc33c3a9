/** The clean-up window: by a criterion, or on one mailbox alone. */

import { openCleanupByCriterion } from "./cleanup_many.js";
import { openCleanupOfOne } from "./cleanup_one.js";

/** Opens it, on one mailbox alone when its address is given. @param {string} [address] */
export function openCleanup(address) {
  if (address === undefined) openCleanupByCriterion();
  else openCleanupOfOne(address);
}
