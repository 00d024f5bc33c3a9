"""From a key and a mailbox address to the caller: who makes an agent request."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from messenger_core.errors import (
    AgentIdInvalid,
    AgentIdMissing,
    ApiKeyMissing,
    ApiKeyUnknown,
    MailboxNotRegistered,
    MailboxNotYours,
)
from messenger_core.ids import is_address
from messenger_core.limits import RECIPIENT_MAX_CHARS
from messenger_server.auth.key_use import KeyUse
from messenger_server.clock import Clock
from messenger_server.database import Database
from messenger_server.store.keys import KeyRow, find_key, fingerprint, refusal_of
from messenger_server.store.mailboxes import MailboxRow, find_mailbox

Headers = dict[bytes, bytes]
"""Request headers by lower-case name."""

HEADERS_READ = frozenset({b"authorization", b"x-messenger-token", b"x-agent-id"})


class Caller(NamedTuple):
    """Who makes a request."""

    key: KeyRow
    fingerprint: str
    """Of the key."""
    address: str | None
    """The mailbox that the request names; None: it names none, and need not."""
    mailbox: MailboxRow | None
    """That mailbox, which the key opens; None where none is needed."""


class Need(Enum):
    """What a path asks of its caller."""

    KEY = 1
    """A key."""
    ADDRESS = 2
    """A key; a mailbox address may stand beside it, whether there is such a mailbox or not."""
    MAILBOX = 3
    """A key and a mailbox that it opens."""


class AgentCheck:
    """Finds out who makes an agent request.

    Nothing is remembered between two requests, so a revoked key is refused on the very next one.
    """

    def __init__(
        self, database: Database, clock: Clock, key_use: KeyUse, needs: Mapping[str, Need]
    ) -> None:
        self._database = database
        self._clock = clock
        self._key_use = key_use
        self._needs = needs
        """By path; a path that is not there asks for a mailbox."""

    async def caller_of(self, path: str, headers: Headers) -> Caller:
        """Who makes this request.

        Raises:
            Unauthorized: `api_key_…`, the request carries no good key.
            AgentIdMissing: it names no mailbox.
            AgentIdInvalid: what it names has no form of an address.
            MailboxNotRegistered: the mailbox does not exist, or nobody has registered it yet.
            MailboxNotYours: it belongs to another agent than the key.
        """
        key, of_secret = await self._key(headers)
        need = self._needs.get(path, Need.MAILBOX)
        if need is Need.KEY:
            return Caller(key, of_secret, None, None)
        address = _named_address(headers)
        try:
            mailbox = await self._mailbox(key, address)
        except (AgentIdMissing, MailboxNotRegistered, MailboxNotYours):
            if need is Need.MAILBOX:
                raise
            mailbox = None
        return Caller(key, of_secret, address, mailbox)

    async def _key(self, headers: Headers) -> tuple[KeyRow, str]:
        of_secret = fingerprint(_secret(headers))
        key = await find_key(self._database, of_secret)
        if key is None:
            raise ApiKeyUnknown
        now_ms = self._clock.now_ms()
        if refusal := refusal_of(key, now_ms):
            raise refusal
        self._key_use.note(key, now_ms)
        return key, of_secret

    async def _mailbox(self, key: KeyRow, address: str | None) -> MailboxRow:
        if address is None:
            raise AgentIdMissing
        mailbox = await find_mailbox(self._database, address)
        if mailbox is None or not mailbox.registered:
            raise MailboxNotRegistered(
                f"The mailbox {address} is not registered: call POST /api/agents/register first."
            )
        if key.agent_name is not None and key.agent_name != mailbox.agent_name:
            raise MailboxNotYours
        return mailbox


def _named_address(headers: Headers) -> str | None:
    address = headers.get(b"x-agent-id", b"").decode("latin-1")
    if not address:
        return None
    if not is_address(address):
        shown = address if len(address) <= RECIPIENT_MAX_CHARS else address[:40] + "…"
        raise AgentIdInvalid(f"The header X-Agent-Id is {shown!r}: that is no mailbox address.")
    return address


def _secret(headers: Headers) -> str:
    scheme, _, secret = headers.get(b"authorization", b"").partition(b" ")
    if scheme.lower() != b"bearer" or not secret.strip():
        secret = headers.get(b"x-messenger-token", b"")
    if not secret.strip():
        raise ApiKeyMissing
    return secret.strip().decode("latin-1")
