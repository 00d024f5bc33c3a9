/** The console's account. */

import { loadSlice } from "./loading.js";

/** Reads the account and its sessions again. */
export function loadAccount() {
  return loadSlice("account", "/admin/account", undefined, (document) => ({ document }));
}
