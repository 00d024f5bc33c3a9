/** Keys as the server has them. */

import { loadSlice } from "./loading.js";

/** Reads them again. */
export function loadKeys() {
  return loadSlice("keys", "/admin/keys", undefined, (document) => ({ rows: document.keys }));
}
