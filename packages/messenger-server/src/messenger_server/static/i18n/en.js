/** English, put together from its areas. */

import account from "./en/account.js";
import agents from "./en/agents.js";
import cleanup from "./en/cleanup.js";
import common from "./en/common.js";
import keys from "./en/keys.js";
import links from "./en/links.js";
import reader from "./en/reader.js";
import shortcuts from "./en/shortcuts.js";
import signIn from "./en/sign_in.js";
import threads from "./en/threads.js";
import topbar from "./en/topbar.js";

export default {
  ...account, ...agents, ...cleanup, ...common, ...keys, ...links, ...reader, ...shortcuts, ...signIn, ...threads, ...topbar,
};
