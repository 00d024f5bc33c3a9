"""Mail: everything an agent can ask of its mailbox, one method each.

Two programs answer: the client over HTTP, and the server itself for its own `/mcp`. The tools are
written against this alone.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from messenger_core.wire.common import Mailbox
from messenger_core.wire.folders import CreateFolder, Folder, Folders
from messenger_core.wire.links import Links
from messenger_core.wire.mailboxes import (
    Directory,
    DirectoryQuery,
    MailboxStatus,
    RenameMailbox,
)
from messenger_core.wire.messages import (
    Attachment,
    Changed,
    DeleteMessages,
    MarkMessages,
    MessageDetail,
    MessagePage,
    MessageQuery,
    MoveMessages,
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


class MailAway(Exception):
    """No server answered; the text says where and why. It may answer again later."""

    retry_after_seconds: int | None = None


class BinaryReader(Protocol):
    """An open file, as far as sending it needs one."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`; none at the end. Blocks.

        Raises the refusals of where the file comes from, at the end also when what was given is
        not what the source had promised.
        """

    def close(self) -> None:
        """Lets go of it."""


class AttachmentSource(Protocol):
    """A file that goes out with a message; its content is read when it is sent, maybe twice."""

    @property
    def filename(self) -> str:
        """The name that the recipient sees, without folders."""

    @property
    def mime_type(self) -> str | None:
        """Its type; `None`: the server takes it from the name's extension."""

    @property
    def size_bytes(self) -> int:
        """How many bytes `open` gives."""

    @property
    def sha256(self) -> str:
        """Of these bytes, in lower-case hexadecimal digits."""

    def open(self) -> BinaryReader:
        """The bytes from the first one on, each time; the caller closes it. Blocks.

        Raises the refusals of where the file comes from when it cannot be read any more.
        """


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachmentStream:
    """An attachment on its way in."""

    attachment: Attachment
    chunks: AsyncIterator[bytes]
    """Its bytes, in pieces of any size, once."""


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

    async def send(
        self, draft: SendMessage, sources: Sequence[AttachmentSource] = ()
    ) -> SentMessage:
        """Sends one message with these files, once, whatever the connection does meanwhile."""

    async def list_messages(self, query: MessageQuery) -> MessagePage:
        """A page of this mailbox's messages, newest first; marks nothing."""

    async def read_message(self, message_id: str, *, mark_read: bool) -> MessageDetail:
        """One message, whole."""

    async def mark(self, request: MarkMessages) -> Changed:
        """Marks messages as read or unread, flagged or not."""

    async def move(self, request: MoveMessages) -> Changed:
        """Moves messages to a folder."""

    async def delete(self, request: DeleteMessages) -> Changed:
        """Moves messages to the trash; what lies there already is destroyed."""

    def attachment(self, attachment_id: str) -> AbstractAsyncContextManager[AttachmentStream]:
        """A file of a message, open while the context is."""

    async def folders(self) -> Folders:
        """The folders of this mailbox with what they hold."""

    async def create_folder(self, request: CreateFolder) -> Folder:
        """Makes a folder."""

    async def delete_folder(self, name: str) -> None:
        """Removes a folder; its messages go to `archive`."""

    async def links(self) -> Links:
        """The linked mailboxes, newest first; they count as received."""

    async def list_threads(self, query: ThreadQuery) -> ThreadPage:
        """A page of this mailbox's threads, latest activity first."""

    async def get_thread(self, thread_id: str, query: ThreadReadQuery) -> ThreadDetail:
        """A thread with a page of its messages."""

    async def rename_thread(self, thread_id: str, names: RenameThread) -> Thread:
        """Names a thread for both its participants."""

    async def wait(self, query: WaitQuery) -> WaitResult:
        """Waits for what arrives."""
