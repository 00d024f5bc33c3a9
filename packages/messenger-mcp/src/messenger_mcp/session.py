"""Session: the mailbox that this process works, and everything that it asks of the server."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TypeVar

from messenger_core.errors import MailboxNotRegistered
from messenger_core.mail import AttachmentSource, AttachmentStream
from messenger_core.tools.tool import OfferedMailbox
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
from messenger_mcp.allocation import allocation_of
from messenger_mcp.api_client import MessengerClient
from messenger_mcp.config import ClientConfig
from messenger_mcp.offers import offered_mailboxes
from messenger_mcp.registration import Registration
from messenger_mcp.sending import OnceSender
from messenger_mcp.session_identity import session_of_environment

Answer = TypeVar("Answer")


class Session:
    """One agent's session: implements `messenger_core.mail.Mail` over HTTP."""

    def __init__(
        self, config: ClientConfig, client: MessengerClient, *, sender: OnceSender | None = None
    ) -> None:
        self.config = config
        host_session = session_of_environment(os.environ)
        self.is_known_at_start = config.fixed_address is not None or host_session is not None
        """Which mailbox it works does not hang on what the first tool call says."""
        self.registration = Registration(config, client, allocation_of(config), host_session)
        self._client = client
        self._sender = sender or OnceSender()

    @property
    def address_is_new(self) -> bool:
        """The mailbox was made for this session: no earlier one was found again."""
        return self.registration.is_new

    @property
    def is_attached(self) -> bool:
        """Another mailbox than one's own is worked."""
        return self.registration.worked not in (None, self.registration.own)

    @property
    def has_following_watcher(self) -> bool:
        """The host runs the watcher without an address: it goes by this session's hand-off."""
        is_known = self.registration.host_session is not None
        return is_known and self.config.leaves_handoff_at_start

    async def address(self) -> str:
        """The mailbox that is worked, registered.

        Raises:
            Unreachable: no server answered; the next call tries again.
            MessengerError: the server refused.
        """
        return await self.registration.address()

    async def offers(self) -> list[OfferedMailbox]:
        """The mailboxes of earlier sessions of this project that no session holds."""
        return await offered_mailboxes(self.registration, self._client)

    async def attach(self, address: str) -> bool:
        """Works another mailbox; one's own address brings back. Refused, nothing changes.

        Tells whether the session's next start returns to it.

        Raises:
            NotFound: the server knows no such mailbox.
            MailboxNotYours: the key may not open it.
        """
        known = (await self._ask(lambda: self._client.mailbox(address))).id
        if known == self.registration.own:
            await self.registration.detach()
            return True
        return await self.registration.attach(known)

    async def detach(self) -> None:
        """Works one's own mailbox again."""
        await self.address()
        await self.registration.detach()

    async def status(self) -> MailboxStatus:
        """The mailbox with its counters, links and watcher."""
        status = await self._ask(self._client.status)
        if any(folder.total for folder in status.folders):
            self.registration.mark_used()
        return status

    async def directory(self, query: DirectoryQuery) -> Directory:
        """Everybody else, grouped by agent."""
        return await self._ask(lambda: self._client.directory(query))

    async def rename_mailbox(self, names: RenameMailbox) -> Mailbox:
        """Names this mailbox."""
        return await self._ask(lambda: self._client.rename_mailbox(names))

    async def send(
        self, draft: SendMessage, sources: Sequence[AttachmentSource] = ()
    ) -> SentMessage:
        """Sends one message with these files, once, whatever the connection does meanwhile.

        Raises:
            OutcomeUnknown: nobody knows whether the server accepted it.
            PathRefused: a file changed meanwhile; nothing was sent.
        """
        address = await self.address()
        sent = await self._ask(
            lambda: self._sender.send(
                address,
                draft,
                lambda key: self._client.send(draft, key, sources),
                sources,
            )
        )
        self.registration.mark_used()
        return sent

    async def list_messages(self, query: MessageQuery) -> MessagePage:
        """A page of this mailbox's messages, newest first."""
        return await self._ask(lambda: self._client.list_messages(query))

    async def read_message(self, message_id: str, *, mark_read: bool) -> MessageDetail:
        """One message, whole."""
        return await self._ask(lambda: self._client.read_message(message_id, mark_read=mark_read))

    async def mark(self, request: MarkMessages) -> Changed:
        """Marks messages as read or unread, flagged or not."""
        return await self._ask(lambda: self._client.mark(request))

    async def move(self, request: MoveMessages) -> Changed:
        """Moves messages to a folder."""
        return await self._ask(lambda: self._client.move(request))

    async def delete(self, request: DeleteMessages) -> Changed:
        """Moves messages to the trash; what lies there already is destroyed."""
        return await self._ask(lambda: self._client.delete(request))

    @asynccontextmanager
    async def attachment(self, attachment_id: str) -> AsyncIterator[AttachmentStream]:
        """A file of a message, open while the context is."""
        async with AsyncExitStack() as stack:
            opening = partial(self._client.attachment, attachment_id)
            yield await self._ask(lambda: stack.enter_async_context(opening()))

    async def folders(self) -> Folders:
        """The folders of this mailbox with what they hold."""
        return await self._ask(self._client.folders)

    async def create_folder(self, request: CreateFolder) -> Folder:
        """Makes a folder."""
        return await self._ask(lambda: self._client.create_folder(request))

    async def delete_folder(self, name: str) -> None:
        """Removes a folder; its messages go to `archive`."""
        await self._ask(lambda: self._client.delete_folder(name))

    async def links(self) -> Links:
        """The linked mailboxes, newest first; they count as received."""
        return await self._ask(self._client.links)

    async def list_threads(self, query: ThreadQuery) -> ThreadPage:
        """A page of this mailbox's threads, latest activity first."""
        return await self._ask(lambda: self._client.list_threads(query))

    async def get_thread(self, thread_id: str, query: ThreadReadQuery) -> ThreadDetail:
        """A thread with a page of its messages."""
        return await self._ask(lambda: self._client.get_thread(thread_id, query))

    async def rename_thread(self, thread_id: str, names: RenameThread) -> Thread:
        """Names a thread for both its participants."""
        return await self._ask(lambda: self._client.rename_thread(thread_id, names))

    async def wait(self, query: WaitQuery) -> WaitResult:
        """Waits for what arrives."""
        return await self._ask(lambda: self._client.wait(query))

    async def _ask(self, request: Callable[[], Awaitable[Answer]]) -> Answer:
        address = await self.address()
        try:
            return await request()
        except MailboxNotRegistered as error:
            await self.registration.lost(address)
            raise MailboxNotRegistered(
                f"The mailbox {address} is gone: it was deleted on the server. "
                + self._what_next(address)
            ) from error

    def _what_next(self, address: str) -> str:
        if address == self.config.fixed_address:
            return "The next call registers this address again, as an empty mailbox."
        own = self.registration.own
        if own is not None:
            return f"The next call works your own mailbox again, {own}."
        return (
            "The next call works a new mailbox: call whoami for its address, and "
            "enable_notifications for it."
        )
