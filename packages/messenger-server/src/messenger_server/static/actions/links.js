/** Links as the server has them. */

import { loadSlice } from "./loading.js";

/** Reads them again. */
export function loadLinks() {
  return loadSlice("links", "/admin/links", undefined, (document) => ({ rows: document.links }));
}
