"""Registration: the mailbox that the session works, as the server knows it.

It registers once for all concurrent calls, in the background or at the first call that needs it.
A mailbox that is gone, or that the key may not open, is dropped, and the next one is tried: one's
own before a new one.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ParamSpec, TypeVar

from messenger_core.errors import (
    Busy,
    InternalError,
    MailboxNotFound,
    MailboxNotRegistered,
    MailboxNotYours,
    MessengerError,
    RateLimited,
)
from messenger_core.ids import is_fixed_address
from messenger_core.wire.mailboxes import RegisterMailbox
from messenger_core.wire.messages import MessageQuery
from messenger_mcp.allocation import Allocation
from messenger_mcp.api_client import MessengerClient, Unreachable
from messenger_mcp.config import ClientConfig
from messenger_mcp.registry import Orphan
from messenger_mcp.session_identity import HostSession, codex_thread_id, session_of_call

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)

_PASSING = (RateLimited, Busy, InternalError)
"""Refusals that the next try may not meet."""
_AS_IT_IS = RegisterMailbox()
"""Registers without names: a mailbox that one attaches to keeps its own."""


class Registration:
    """The session's place at the server."""

    def __init__(
        self,
        config: ClientConfig,
        client: MessengerClient,
        allocation: Allocation,
        host_session: HostSession | None,
    ) -> None:
        self.refused = asyncio.Event()
        """The server refused in the background: the process is of no use."""
        self.refusal: MessengerError | None = None
        self.entered = asyncio.Event()
        """Another mailbox is worked than before; whoever waits for it clears it."""
        self.host_session = host_session
        """The host's session, as soon as it is known."""
        self.host_thread_id: str | None = None
        """The id in clear of the Codex thread that called last."""
        self._config = config
        self._client = client
        self._allocation = allocation
        self._address: str | None = None
        self._made: set[str] = set()
        self._has_claimed = False
        self._entering: asyncio.Task[str] | None = None
        self._background: asyncio.Task[None] | None = None
        self._filing = asyncio.Lock()
        self._moving = asyncio.Lock()
        self._moves: set[asyncio.Task[Any]] = set()

    @property
    def worked(self) -> str | None:
        """The mailbox that is worked now; `None` until one is registered."""
        return self._address

    @property
    def own(self) -> str | None:
        """The session's own mailbox; `None` while it has none."""
        return self._allocation.own

    @property
    def is_new(self) -> bool:
        """The worked mailbox was made for this session: no earlier one was found again."""
        return self._address in self._made

    def heard(self, meta: Mapping[str, object] | None) -> None:
        """Learns from a call's `_meta` which session calls; the mailbox is bound but once."""
        self.host_thread_id = codex_thread_id(meta) or self.host_thread_id
        if self.host_session is None and not self._has_claimed:
            self.host_session = session_of_call(meta)

    def begin(self) -> None:
        """Registers in the background, once; nobody waits for it."""
        if self._background is None:
            self._background = asyncio.create_task(self._enter_in_background())

    async def address(self) -> str:
        """The mailbox that is worked, registered.

        Raises:
            Unreachable: no server answered; the next call tries again.
            MessengerError: the server refused.
        """
        if self._address is not None:
            return self._address
        if self._entering is None:
            self._entering = asyncio.create_task(self._enter())
        # A call that is cancelled leaves the registration to the others that wait for it.
        return await asyncio.shield(self._entering)

    async def lost(self, address: str) -> None:
        """Drops a mailbox that is gone from the server; the next call works another one."""
        # Several calls may meet the same loss; a mailbox that came after it stays.
        if self._address == address:
            _log.warning("the mailbox %s is gone from the server", address)
            self._address = None
            await self._filed(self._allocation.forget, address)

    async def attach(self, address: str) -> bool:
        """Works another mailbox, one that the server knows; refused, nothing changes.

        Tells whether the session's next start returns to it.
        """
        return await self._to_its_end(self._attach(address))

    async def detach(self) -> None:
        """Works one's own mailbox again, or a new one when there is none.

        Refused, nothing changes.
        """
        await self._to_its_end(self._detach())

    def mark_used(self) -> None:
        """Notes that the worked mailbox has carried mail."""
        self._allocation.mark_used()

    async def heartbeat(self) -> None:
        """Tells the registry that the session lives."""
        if self._has_claimed:
            await self._filed(self._allocation.heartbeat)

    def close(self) -> None:
        """Leaves the mailbox to the next start of this session. Blocks, 0.2 seconds at most."""
        if self._has_claimed:
            self._allocation.close()

    async def orphans(self) -> list[Orphan]:
        """The project's mailboxes that no session holds, as the registry knows them."""
        return await self._filed(self._allocation.orphans_of_project)

    async def forget(self, address: str) -> None:
        """Drops the entry of a mailbox that is gone from the server."""
        await self._filed(self._allocation.forget, address)

    async def _enter(self) -> str:
        try:
            async with self._moving:
                if not self._has_claimed:
                    self._has_claimed = True
                    await self._filed(self._allocation.claim, self.host_session)
                while (wanted := self._allocation.working) is not None:
                    if await self._enter_known(wanted):
                        return wanted
                return await self._enter_new()
        finally:
            self._entering = None

    async def _to_its_end(self, move: Coroutine[None, None, T]) -> T:
        """Runs a move that a cancelled call does not leave half done."""
        task = asyncio.create_task(move)
        self._moves.add(task)
        task.add_done_callback(self._moves.discard)
        return await asyncio.shield(task)

    async def _attach(self, address: str) -> bool:
        async with self._moving:
            await self._client.at(address).register(_AS_IT_IS)
            is_kept = await self._filed(self._allocation.attach, address)
            self._work(address, "the attached mailbox")
        return is_kept

    async def _detach(self) -> None:
        async with self._moving:
            own = self._allocation.own
            if own is None or not await self._enter_known(own):
                await self._enter_new()
            await self._filed(self._allocation.detach)

    async def _enter_known(self, address: str) -> bool:
        """Whether the mailbox is worked now; otherwise the session has it no more."""
        try:
            await self._register_at(address)
        except (MailboxNotFound, MailboxNotRegistered, MailboxNotYours) as error:
            if address == self._config.fixed_address:
                raise
            _log.warning("the mailbox %s cannot be worked any more: %s", address, error)
            is_gone = not isinstance(error, MailboxNotYours)
            drop = self._allocation.forget if is_gone else self._allocation.give_up
            await self._filed(drop, address)
            return False
        self._work(address, "the mailbox")
        return True

    async def _register_at(self, address: str) -> None:
        client = self._client.at(address)
        if is_fixed_address(address) and address != self._config.fixed_address:
            # Registering would make it anew; a mailbox that is gone is to be found out.
            await client.list_messages(MessageQuery(limit=1))
        is_own = address == self._allocation.own
        await client.register(self._names() if is_own else _AS_IT_IS)

    async def _enter_new(self) -> str:
        address = (await self._client.at(None).register(self._names())).mailbox.id
        self._made.add(address)
        await self._filed(self._allocation.record_new, address)
        self._work(address, "a new mailbox")
        return address

    def _names(self) -> RegisterMailbox:
        return RegisterMailbox(
            agent_name=self._config.agent_name, agent_description=self._config.agent_description
        )

    def _work(self, address: str, which: str) -> None:
        self._address = self._client.address = address
        self.entered.set()
        _log.info("works %s, %s, at %s", which, address, self._config.server_url)

    async def _filed(self, change: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with self._filing:
            return await asyncio.to_thread(change, *args, **kwargs)

    async def _enter_in_background(self) -> None:
        try:
            await self.address()
        except Unreachable as error:
            _log.warning("not registered yet, the first call tries again: %s", error)
        except _PASSING as error:
            _log.warning("not registered yet, the first call tries again: %s", error)
        except MessengerError as error:
            self.refusal = error
            self.refused.set()
