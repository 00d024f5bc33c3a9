/** English: what is in sight from the start. The other areas come with their views. */

import agents from "./en/agents.js";
import common from "./en/common.js";
import reader from "./en/reader.js";
import shortcuts from "./en/shortcuts.js";
import threads from "./en/threads.js";
import topbar from "./en/topbar.js";

export default { ...agents, ...common, ...reader, ...shortcuts, ...threads, ...topbar };
