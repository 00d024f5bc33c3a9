/** French, put together from its areas. */

import account from "./fr/account.js";
import agents from "./fr/agents.js";
import cleanup from "./fr/cleanup.js";
import common from "./fr/common.js";
import keys from "./fr/keys.js";
import links from "./fr/links.js";
import reader from "./fr/reader.js";
import shortcuts from "./fr/shortcuts.js";
import signIn from "./fr/sign_in.js";
import threads from "./fr/threads.js";
import topbar from "./fr/topbar.js";

export default {
  ...account, ...agents, ...cleanup, ...common, ...keys, ...links, ...reader, ...shortcuts, ...signIn, ...threads, ...topbar,
};
