"""The catalogue: which tools there are, in the order in which every list shows them.

The client adds its local tools behind these; the server's own `/mcp` replaces the ones that touch
the agent's disk.
"""

from messenger_core.tools.mailboxes import LIST_AGENTS, RENAME_MAILBOX, WHOAMI
from messenger_core.tools.messages import LIST_MESSAGES, READ_MESSAGE
from messenger_core.tools.sending import SEND_MESSAGE
from messenger_core.tools.threads import GET_THREAD, LIST_THREADS, RENAME_THREAD
from messenger_core.tools.tool import AnyTool
from messenger_core.tools.waiting import WAIT_FOR_MESSAGE

TOOLS: tuple[AnyTool, ...] = (
    WHOAMI,
    LIST_AGENTS,
    SEND_MESSAGE,
    LIST_MESSAGES,
    READ_MESSAGE,
    LIST_THREADS,
    GET_THREAD,
    RENAME_MAILBOX,
    RENAME_THREAD,
    WAIT_FOR_MESSAGE,
)
"""The tools that are the same wherever they run."""
