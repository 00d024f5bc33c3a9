/** Going somewhere: the URL and the store's `route` say the same, always. */

import { writeRoute, readRoute } from "../model/route.js";
import { store } from "../store.js";

/**
 * Changes parts of the route.
 *
 * @param {Partial<import("../model/route.js").Route>} patch
 * @param {{replace?: boolean}} [how] `replace`: the back button skips what was there (typing).
 */
export function navigate(patch, { replace = false } = {}) {
  const route = { ...store.state.route, ...patch };
  const query = writeRoute(route);
  if (query === writeRoute(store.state.route)) return;
  const url = location.pathname + query;
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  store.set({ route });
}

/** Follows the browser's back and forward buttons. */
export function followHistory() {
  addEventListener("popstate", () => store.set({ route: readRoute(location.search) }));
}
