"""The catalogue: which tools there are, in the order in which every list shows them.

The client adds its local tools behind these, and sends files of the agent's disk in place of what
stands here.
"""

from messenger_core.tools.filing import DELETE_MESSAGES, MARK_MESSAGES, MOVE_MESSAGES
from messenger_core.tools.folders import CREATE_FOLDER, DELETE_FOLDER, LIST_FOLDERS
from messenger_core.tools.labels import SET_LABEL
from messenger_core.tools.links import LIST_LINKS
from messenger_core.tools.mailboxes import LIST_AGENTS, RENAME_MAILBOX, WHOAMI
from messenger_core.tools.messages import LIST_MESSAGES, READ_MESSAGE
from messenger_core.tools.sending import SEND_MESSAGE
from messenger_core.tools.threads import GET_THREAD, LIST_THREADS, RENAME_THREAD
from messenger_core.tools.tool import AnyTool
from messenger_core.tools.waiting import WAIT_FOR_MESSAGE

TOOLS: tuple[AnyTool, ...] = (
    WHOAMI,
    LIST_AGENTS,
    LIST_LINKS,
    SEND_MESSAGE,
    LIST_MESSAGES,
    READ_MESSAGE,
    LIST_THREADS,
    GET_THREAD,
    MARK_MESSAGES,
    MOVE_MESSAGES,
    DELETE_MESSAGES,
    LIST_FOLDERS,
    CREATE_FOLDER,
    DELETE_FOLDER,
    RENAME_MAILBOX,
    RENAME_THREAD,
    SET_LABEL,
    WAIT_FOR_MESSAGE,
)
"""The tools that are the same wherever they run; one that is not is replaced in its place."""
