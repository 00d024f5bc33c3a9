/** Views and windows that come when they are first wanted, so that the mail is there at once. */

import { notify } from "../actions/notices.js";
import { noteConnection } from "../actions/session.js";
import { Unreachable } from "../lib/api.js";
import { loadPart } from "../lib/parts.js";
import { store } from "../store.js";
import { errorState, errorText } from "./states.js";

/** @typedef {(parent: HTMLElement) => () => void} Mount */

/** @type {Record<string, () => Promise<Mount>>} */
const VIEWS = {
  account: async () => {
    const part = await loadPart(["account", "cleanup", "sign_in"], () => import("./account.js"));
    return part.mountAccount;
  },
  keys: async () => (await loadPart(["keys", "cleanup", "sign_in"], () => import("./keys.js"))).mountKeys,
  links: async () => (await loadPart(["links"], () => import("./links_view.js"))).mountLinks,
  setup: async () => (await loadPart(["sign_in"], () => import("./setup.js"))).mountSetup,
  sign_in: async () => (await loadPart(["sign_in"], () => import("./sign_in.js"))).mountSignIn,
};

/**
 * Those that are there: they are mounted at once, so that another language does not flash.
 *
 * @type {Record<string, Mount>}
 */
const there = {};

/**
 * Mounts a view once it is there.
 *
 * @param {string} name @param {HTMLElement} parent
 * @returns {() => void} Takes it away, whether it is there yet or not.
 */
export function mountLazily(name, parent) {
  if (there[name]) return there[name](parent);
  let unmount = () => {};
  let isWanted = true;
  async function load() {
    try {
      there[name] = await VIEWS[name]();
    } catch {
      if (isWanted) showFailure();
      return;
    }
    if (isWanted) unmount = there[name](parent);
  }
  function showFailure() {
    const again = () => {
      unmount();
      void load();
    };
    // A part that does not come: the server is away. Whichever request it answers first brings the part.
    const view = errorState(new Unreachable(name), again);
    parent.append(view);
    noteConnection(false);
    const stop = store.watch(["connection"], () => store.state.connection.isThere && again());
    unmount = () => {
      stop();
      view.remove();
    };
  }
  void load();
  return () => {
    isWanted = false;
    unmount();
  };
}

/** Opens the clean-up window, on one mailbox alone when its address is given. @param {string} [address] */
export function openCleanup(address) {
  return open(loadPart(["cleanup"], () => import("./cleanup.js")), (part) => part.openCleanup(address));
}

/** Opens the details of a message. @param {string} id */
export function openDetails(id) {
  return open(import("./message_details.js"), (part) => part.openDetails(id));
}

/** Opens the sheet of keys. */
export function openHelp() {
  return open(import("./shortcuts_sheet.js"), (part) => part.openHelp());
}

/**
 * @template T
 * @param {Promise<T>} loading @param {(part: T) => void} run
 */
async function open(loading, run) {
  let part;
  try {
    part = await loading;
  } catch {
    notify("error", errorText(new Unreachable("part")));
    return;
  }
  run(part);
}
