"""From a key and a mailbox address to the caller: who makes an agent request."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from messenger_core.echo import echoed
from messenger_core.errors import (
    AgentIdInvalid,
    AgentIdMissing,
    ApiKeyMissing,
    ApiKeyUnknown,
    MailboxNotRegistered,
    MailboxNotYours,
    MessengerError,
)
from messenger_core.ids import is_address
from messenger_server.auth.last_use import LastUse
from messenger_server.clock import Clock
from messenger_server.database import Database
from messenger_server.store.callers import CallerRow, find_caller
from messenger_server.store.fingerprints import fingerprint
from messenger_server.store.keys import refusal_of

Headers = dict[bytes, bytes]
"""Request headers by lower-case name."""


class Caller(NamedTuple):
    """Who makes a request."""

    key_id: int
    """The internal number of the key."""
    fingerprint: str
    """Of the key."""
    can_send: bool
    address: str | None
    """The mailbox that the request names; None: it names none, and need not."""
    mailbox_id: int | None
    """That mailbox, which the key opens; None where none is needed."""


class Need(Enum):
    """What a path asks of its caller."""

    KEY = 1
    """A key."""
    ADDRESS = 2
    """A key; a mailbox address may stand beside it, whether there is such a mailbox or not."""
    MAILBOX = 3
    """A key and a mailbox that it opens."""
    CONSOLE = 4
    """Somebody who is signed in to the console."""
    NOBODY = 5
    """Nobody: it is where one signs in."""


class AgentCheck:
    """Finds out who makes an agent request.

    Nothing is remembered between two requests, so a revoked key is refused on the very next one.
    """

    def __init__(
        self, database: Database, clock: Clock, key_use: LastUse, needs: Mapping[str, Need]
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
        need = self._needs.get(path, Need.MAILBOX)
        of_secret = fingerprint(_secret(headers))
        named = None if need is Need.KEY else _named(headers)
        found = await find_caller(self._database, of_secret, named)
        if found is None:
            raise ApiKeyUnknown
        now_ms = self._clock.now_ms()
        if refusal := refusal_of(found, now_ms):
            raise refusal
        self._key_use.note(found.key_id, found.last_used_at, now_ms)
        mailbox_id = found.mailbox_id
        if not found.is_registered or found.agent_name not in (None, found.mailbox_agent_name):
            refusal = _refusal_of_mailbox(found, named)
            if need is Need.MAILBOX or isinstance(refusal, AgentIdInvalid):
                raise refusal
            mailbox_id = None
        return Caller(found.key_id, of_secret, found.can_send == 1, named, mailbox_id)


def _refusal_of_mailbox(found: CallerRow, named: str | None) -> MessengerError:
    """Why the key does not open what the request names."""
    if named is None:
        return AgentIdMissing()
    if found.mailbox_id is None and not is_address(named):
        shown = echoed(named)
        return AgentIdInvalid(f"The header X-Agent-Id is {shown!r}: that is no mailbox address.")
    if not found.is_registered:
        return MailboxNotRegistered(
            f"The mailbox {named} is not registered: call POST /api/agents/register first."
        )
    return MailboxNotYours()


def _named(headers: Headers) -> str | None:
    return headers.get(b"x-agent-id", b"").decode(errors="replace") or None


def _secret(headers: Headers) -> str:
    value = headers.get(b"authorization", b"")
    if value[:7].lower() == b"bearer ":
        secret = value[7:].strip()
    else:
        secret = headers.get(b"x-messenger-token", b"").strip()
    if not secret:
        raise ApiKeyMissing
    return secret.decode("latin-1")
