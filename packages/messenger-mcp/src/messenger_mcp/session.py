"""Session: the mailbox that this process works, and everything that it asks of the server.

It registers once for all concurrent calls, in the background or at the first call that needs it,
and starts over with a new mailbox when its own was deleted.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from messenger_core.errors import (
    Busy,
    InternalError,
    MailboxNotRegistered,
    MessengerError,
    RateLimited,
)
from messenger_core.wire.common import Mailbox
from messenger_core.wire.mailboxes import (
    Directory,
    DirectoryQuery,
    MailboxStatus,
    RegisterMailbox,
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
from messenger_mcp.api_client import MessengerClient, Unreachable
from messenger_mcp.config import ClientConfig
from messenger_mcp.sending import OnceSender

Answer = TypeVar("Answer")

_log = logging.getLogger(__name__)

_PASSING = (RateLimited, Busy, InternalError)
"""Refusals that the next try may not meet."""


class Session:
    """One agent's session: implements `messenger_core.mail.Mail` over HTTP."""

    def __init__(
        self, config: ClientConfig, client: MessengerClient, *, sender: OnceSender | None = None
    ) -> None:
        self.config = config
        self.refused = asyncio.Event()
        """The server refused the registration in the background: the process is of no use."""
        self.refusal: MessengerError | None = None
        self._client = client
        self._sender = sender or OnceSender()
        self._address: str | None = None
        self._registration: asyncio.Task[str] | None = None
        self._background: asyncio.Task[None] | None = None

    @property
    def address_is_new(self) -> bool:
        """The mailbox was made for this session, and no setting names it."""
        return self.config.fixed_address is None

    @property
    def registered_address(self) -> str | None:
        """The mailbox that is worked now; `None` before the first registration."""
        return self._address

    def begin(self) -> None:
        """Registers in the background, once; nobody waits for it."""
        if self._background is None:
            self._background = asyncio.create_task(self._register_in_background())

    async def address(self) -> str:
        """The mailbox that is worked, registered.

        Raises:
            Unreachable: no server answered; the next call tries again.
            MessengerError: the server refused.
        """
        if self._address is not None:
            return self._address
        if self._registration is None:
            self._registration = asyncio.create_task(self._register())
        # A call that is cancelled leaves the registration to the others that wait for it.
        return await asyncio.shield(self._registration)

    async def status(self) -> MailboxStatus:
        """The mailbox with its counters, links and watcher."""
        return await self._ask(self._client.status)

    async def directory(self, query: DirectoryQuery) -> Directory:
        """Everybody else, grouped by agent."""
        return await self._ask(lambda: self._client.directory(query))

    async def rename_mailbox(self, names: RenameMailbox) -> Mailbox:
        """Names this mailbox."""
        return await self._ask(lambda: self._client.rename_mailbox(names))

    async def send(self, draft: SendMessage) -> SentMessage:
        """Sends one message, once, whatever the connection does meanwhile.

        Raises:
            OutcomeUnknown: nobody knows whether the server accepted it.
        """
        address = await self.address()
        return await self._ask(
            lambda: self._sender.send(
                address, draft, lambda key: self._client.send(draft, idempotency_key=key)
            )
        )

    async def list_messages(self, query: MessageQuery) -> MessagePage:
        """A page of this mailbox's messages, newest first."""
        return await self._ask(lambda: self._client.list_messages(query))

    async def read_message(self, message_id: str, *, mark_read: bool) -> MessageDetail:
        """One message, whole."""
        return await self._ask(lambda: self._client.read_message(message_id, mark_read=mark_read))

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
            self._forget(address)
            raise MailboxNotRegistered(
                f"The mailbox {address} is gone: it was deleted on the server. {self._what_next()}"
            ) from error

    def _what_next(self) -> str:
        if self.config.fixed_address is not None:
            return "The next call registers this address again, as an empty mailbox."
        return (
            "The next call works a new mailbox: call whoami for its address, and "
            "enable_notifications for it."
        )

    def _forget(self, address: str) -> None:
        # Several calls may meet the same loss; a mailbox that came after it stays.
        if self._address == address:
            _log.warning("the mailbox %s is gone from the server", address)
            self._address = None

    async def _register(self) -> str:
        config = self.config
        try:
            self._client.address = config.fixed_address
            registered = await self._client.register(
                RegisterMailbox(
                    agent_name=config.agent_name, agent_description=config.agent_description
                )
            )
            address = registered.mailbox.id
            self._client.address = address
            self._address = address
        finally:
            self._registration = None
        made = "a new mailbox" if registered.created else "the mailbox"
        _log.info("works %s, %s, at %s", made, address, config.server_url)
        return address

    async def _register_in_background(self) -> None:
        try:
            await self.address()
        except Unreachable as error:
            _log.warning("not registered yet, the first call tries again: %s", error)
        except _PASSING as error:
            _log.warning("not registered yet, the first call tries again: %s", error)
        except MessengerError as error:
            self.refusal = error
            self.refused.set()
