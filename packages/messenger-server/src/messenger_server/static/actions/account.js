/** The console's account. */

import { send } from "../lib/api.js";
import { store } from "../store.js";
import { loadAudit } from "./audit.js";
import { loadSlice } from "./loading.js";
import { signOut } from "./session.js";

/** Reads the account and its sessions again. */
export function loadAccount() {
  return loadSlice("account", "/admin/account", undefined, (document) => ({ document }));
}

// Each of these may throw a Problem or Unreachable, and has account and trail read again.

/** @param {string} username */
export async function renameAccount(username) {
  await write("PATCH", "", { username });
  store.patch("session", { username });
}

/** Changes the password, which signs every other browser out. @param {{current_password: string, new_password: string}} form */
export const changePassword = (form) => write("POST", "/password", form);

/** Signs a browser out, which may be this one. @param {{id: string, current: boolean}} session */
export const closeSession = ({ id, current }) => (current ? signOut() : write("DELETE", `/sessions/${id}`));

export const closeOtherSessions = () => write("POST", "/sessions/revoke-others");

/** @param {"POST" | "PATCH" | "DELETE"} method @param {string} path @param {any} [body] */
async function write(method, path, body) {
  await send(method, `/admin/account${path}`, body);
  void loadAccount();
  void loadAudit();
}
