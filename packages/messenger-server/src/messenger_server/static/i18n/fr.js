/** French: what is in sight from the start. The other areas come with their views. */

import agents from "./fr/agents.js";
import common from "./fr/common.js";
import reader from "./fr/reader.js";
import shortcuts from "./fr/shortcuts.js";
import threads from "./fr/threads.js";
import topbar from "./fr/topbar.js";

export default { ...agents, ...common, ...reader, ...shortcuts, ...threads, ...topbar };
