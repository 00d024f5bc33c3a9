/** Loading a slice: what is there stays while new data comes, and when it does not come. */

import { poll, Problem, Unreachable } from "../lib/api.js";
import { store } from "../store.js";

/**
 * Polls a document into a slice; an unchanged one touches nothing.
 *
 * @param {string} slice @param {string} path @param {Record<string, any> | undefined} query
 * @param {(document: any) => Record<string, any>} take What the slice gets of the document.
 */
export async function loadSlice(slice, path, query, take) {
  try {
    const { changed, document } = await poll(path, query);
    if (changed || store.state[slice].status !== "ready") {
      store.patch(slice, { ...take(document), status: "ready", error: null });
    }
  } catch (error) {
    failSlice(slice, error);
  }
}

/** Notes a failure; what was there before is still shown. @param {string} slice @param {unknown} error */
export function failSlice(slice, error) {
  if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
  if (store.state.session.state !== "signed_in") return; // the session has ended: so has the view
  store.patch(slice, { status: "failed", error });
}
