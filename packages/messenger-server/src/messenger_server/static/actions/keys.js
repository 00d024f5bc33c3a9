/** API keys as the server has them, and what the person does with them. */

import { get, send } from "../lib/api.js";
import { loadSlice } from "./loading.js";

/** Reads them again. */
export function loadKeys() {
  return loadSlice("keys", "/admin/keys", undefined, (document) => ({ rows: document.keys }));
}

/**
 * A key with the mailboxes that were opened with it.
 *
 * @param {string} id
 * @returns {Promise<import("../model/keys.js").Key & {mailboxes: any[]}>}
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export function readKey(id) {
  return get(`/admin/keys/${id}`);
}

// Each of these may throw a Problem or Unreachable, and has the table read again.

/** @param {Record<string, any>} form @returns {Promise<{key: any, secret: string}>} */
export const createKey = (form) => write("POST", "", form);

/** @param {string} id @param {Record<string, any>} changes */
export const changeKey = (id, changes) => write("PATCH", `/${id}`, changes);

/** @param {string} id @param {number | null} days */
export const extendKey = (id, days) => write("POST", `/${id}/extend`, { days });

/** Replaces it. @param {string} id @returns {Promise<{key: any, secret: string}>} */
export const rotateKey = (id) => write("POST", `/${id}/rotate`);

/** @param {string} id */
export const revokeKey = (id) => write("POST", `/${id}/revoke`);

/** @param {"POST" | "PATCH"} method @param {string} path @param {any} [body] */
async function write(method, path, body) {
  const done = await send(method, `/admin/keys${path}`, body);
  void loadKeys();
  return done;
}
