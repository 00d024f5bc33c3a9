"""Mail: everything an agent can ask of its mailbox, one method each.

Two programs answer: the client over HTTP, and the server itself for its own `/mcp`. The tools are
written against this alone.
"""

from typing import Protocol

from messenger_core.wire.common import Mailbox
from messenger_core.wire.mailboxes import (
    Directory,
    DirectoryQuery,
    MailboxStatus,
    RenameMailbox,
)
from messenger_core.wire.messages import (
    MessageDetail,
    MessagePage,
    MessageQuery,
    SendMessage,
    SentMessage,
)
from messenger_core.wire.threads import (
    RenameThread,
    Thread,
    ThreadDetail,
    ThreadPage,
    ThreadQuery,
    ThreadReadQuery,
)
from messenger_core.wire.wait import WaitQuery, WaitResult


class Mail(Protocol):
    """The mailbox that a session works.

    Every method raises the `messenger_core.errors` refusals of its route.
    """

    async def status(self) -> MailboxStatus:
        """The mailbox with its counters, links and watcher."""

    async def directory(self, query: DirectoryQuery) -> Directory:
        """Everybody else, grouped by agent."""

    async def rename_mailbox(self, names: RenameMailbox) -> Mailbox:
        """Names this mailbox."""

    async def send(self, draft: SendMessage) -> SentMessage:
        """Sends one message, once, whatever the connection does meanwhile."""

    async def list_messages(self, query: MessageQuery) -> MessagePage:
        """A page of this mailbox's messages, newest first; marks nothing."""

    async def read_message(self, message_id: str, *, mark_read: bool) -> MessageDetail:
        """One message, whole."""

    async def list_threads(self, query: ThreadQuery) -> ThreadPage:
        """A page of this mailbox's threads, latest activity first."""

    async def get_thread(self, thread_id: str, query: ThreadReadQuery) -> ThreadDetail:
        """A thread with a page of its messages."""

    async def rename_thread(self, thread_id: str, names: RenameThread) -> Thread:
        """Names a thread for both its participants."""

    async def wait(self, query: WaitQuery) -> WaitResult:
        """Waits for what arrives."""
