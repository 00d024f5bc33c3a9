/** Signing in and out, and what happens when a session ends elsewhere. */

import { forgetPolled, get, listenToApi, send } from "../lib/api.js";
import { store } from "../store.js";

/** Has the store follow what requests find out. */
export function followApi() {
  listenToApi({
    onSessionEnded() {
      if (store.state.session.state === "signed_in") goToSignIn("ended");
    },
    onConnection: noteConnection,
  });
}

/** Notes whether the server answers. @param {boolean} isThere */
export function noteConnection(isThere) {
  if (isThere === store.state.connection.isThere) return;
  store.set({ connection: { isThere, since: isThere ? null : Date.now() } });
}

/** Asks who is signed in. @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable} */
export async function loadSession() {
  const found = await get("/ui/session");
  if (found.authenticated) enter(found.user.username);
  else if (found.setup_required) store.set({ session: { state: "setup", username: null } });
  else if (store.state.session.state !== "sign_in") goToSignIn(null);
}

/**
 * @param {{username: string, password: string, remember: boolean}} form
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export async function signIn(form) {
  const found = await send("POST", "/ui/login", form);
  enter(found.user.username);
}

/**
 * Makes the account.
 *
 * @param {{code: string, username: string, password: string}} form
 * @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable}
 */
export async function setUp(form) {
  const found = await send("POST", "/ui/setup", form);
  enter(found.user.username);
}

/** @throws {import("../lib/api.js").Problem | import("../lib/api.js").Unreachable} */
export async function signOut() {
  await send("POST", "/ui/logout");
  goToSignIn(null);
}

/** @param {string} username */
function enter(username) {
  store.set({ session: { state: "signed_in", username } });
}

/**
 * The URL stays: whoever signs in again is where they were.
 *
 * @param {"ended" | "alreadySetUp" | null} reason What the page says about it.
 */
export function goToSignIn(reason) {
  forgetPolled();
  store.forget();
  store.set({ session: { state: "sign_in", username: null, reason } });
}
