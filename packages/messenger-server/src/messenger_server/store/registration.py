"""Registration: how a client connects to its mailbox, and which agent the mailbox belongs to.

A key bound to an agent brings that agent's name and description; with a key for all, the client
says them. Source: the HTTP contract, §4, POST /api/agents/register.
"""

from typing import Final, NamedTuple

from sqlalchemy import bindparam, insert, select, update

from messenger_core.blank import unless_blank
from messenger_core.echo import echoed
from messenger_core.errors import (
    AddressTaken,
    AgentDescriptionConflict,
    AgentNameConflict,
    MailboxNotFound,
    MailboxNotYours,
)
from messenger_core.ids import is_fixed_address, new_mailbox_address
from messenger_core.schema import mailbox
from messenger_core.times import rfc3339_or_none
from messenger_core.wire.mailboxes import KeyFacts, Registered, RegisterMailbox
from messenger_server.database import Batch
from messenger_server.store.addresses import mailbox_at
from messenger_server.store.keys import KeyRow, newest_of, owner_of_slug
from messenger_server.store.mailboxes import MailboxRow, own_card


class _Names(NamedTuple):
    """What a registration says of the mailbox; absent and empty are the same."""

    agent_name: str | None
    agent_description: str | None
    display_name: str | None
    description: str | None


class _Known(NamedTuple):
    """A mailbox that is there already; the columns of `_KNOWN`, in their order."""

    id: int
    address: str
    agent_name: str | None
    agent_description: str | None
    agent_bound: bool
    display_name: str | None
    description: str | None
    last_seen_at: int | None


_KNOWN: Final = select(
    mailbox.c.id,
    mailbox.c.address,
    mailbox.c.agent_name,
    mailbox.c.agent_description,
    mailbox.c.agent_bound,
    mailbox.c.display_name,
    mailbox.c.description,
    mailbox.c.last_seen_at,
).where(mailbox.c.id == bindparam("of"))
_INSERT: Final = insert(mailbox)
_REFRESH: Final = (
    update(mailbox)
    .where(mailbox.c.id == bindparam("of"))
    .values(
        agent_name=bindparam("new_agent_name"),
        agent_description=bindparam("new_agent_description"),
        agent_bound=bindparam("new_agent_bound"),
        display_name=bindparam("new_display_name"),
        description=bindparam("new_description"),
        api_key_id=bindparam("key_id"),
        last_seen_at=bindparam("now_ms"),
    )
)


def register(
    batch: Batch, key: KeyRow, address: str | None, request: RegisterMailbox
) -> tuple[MailboxRow, Registered]:
    """Connects a client to the mailbox at `address`, or to a new one.

    Raises:
        MailboxNotFound: an address of the server's own that is not there.
        AddressTaken: it must be fresh and is not, or it is reserved for another agent.
        MailboxNotYours: the mailbox belongs to another agent than the key.
        AgentNameConflict, AgentDescriptionConflict: another value than a bound key gave.
    """
    used, key = key, newest_of(batch.connection, key)  # what moved to a new key stays with it
    names = _names(key, request)
    known = _known(batch, address)
    if known is not None and request.fresh and is_fixed_address(address or ""):
        raise AddressTaken(f"The address {address} exists already: choose another one.")
    if known is None:
        mailbox_id = _create(batch, key, address, names)
    else:
        mailbox_id = known.id
        _refresh(batch, key, known, names)
    return _answer(batch, used, mailbox_id, created=known is None)


def key_facts(key: KeyRow) -> KeyFacts:
    """What a caller may know of its key."""
    ends = [end for end in (key.expires_at, key.accepted_until) if end is not None]
    end = rfc3339_or_none(min(ends, default=None))
    return KeyFacts(name=key.name, agent_name=key.agent_name, expires_at=end)


def _names(key: KeyRow, request: RegisterMailbox) -> _Names:
    """The names that count: of a bound key its own, and no other beside them."""
    agent_name = unless_blank(request.agent_name)
    agent_description = unless_blank(request.agent_description)
    if key.agent_name is not None:
        if agent_name not in (None, key.agent_name):
            raise AgentNameConflict(
                f"The API key gives the agent name “{echoed(key.agent_name)}”, "
                f"and the request says “{echoed(agent_name)}”: leave it out."
            )
        if agent_description not in (None, key.agent_description):
            raise AgentDescriptionConflict
        agent_name, agent_description = key.agent_name, key.agent_description
    return _Names(
        agent_name,
        agent_description,
        unless_blank(request.display_name),
        unless_blank(request.description),
    )


def _known(batch: Batch, address: str | None) -> _Known | None:
    found = None if address is None else mailbox_at(batch.connection, address)
    if found is None:
        return None
    return _Known._make(batch.connection.execute(_KNOWN, {"of": found}).one())


def _create(batch: Batch, key: KeyRow, address: str | None, names: _Names) -> int:
    """A new mailbox; its internal id."""
    if address is not None:
        if not is_fixed_address(address):
            raise MailboxNotFound(
                f"There is no mailbox {address}: register without X-Agent-Id to get a new one."
            )
        _refuse_reserved(batch, key, address)
    row = {
        "address": address or new_mailbox_address(),
        **names._asdict(),
        "agent_bound": key.agent_name is not None,
        "api_key_id": key.id,
        "created_at": batch.now_ms,
        "last_seen_at": batch.now_ms,
    }
    inserted = batch.connection.execute(_INSERT, row).inserted_primary_key
    assert inserted is not None
    return int(inserted[0])


def _refresh(batch: Batch, key: KeyRow, known: _Known, names: _Names) -> None:
    """Connects to a mailbox that is there; a name set later than its configuration stays."""
    if known.agent_name is None:
        _refuse_reserved(batch, key, known.address)
    elif key.agent_name not in (None, known.agent_name):
        raise MailboxNotYours
    elif key.agent_name is None and known.agent_bound:
        _refuse_other_agent(known, names)
    is_bound = known.agent_bound or key.agent_name is not None
    is_first_time = known.last_seen_at is None
    batch.connection.execute(
        _REFRESH,
        {
            "of": known.id,
            "new_agent_name": names.agent_name or known.agent_name,
            "new_agent_description": _description(key, known, names),
            "new_agent_bound": is_bound,
            "new_display_name": known.display_name
            or (names.display_name if is_first_time else None),
            "new_description": known.description or (names.description if is_first_time else None),
            "key_id": key.id,
            "now_ms": batch.now_ms,
        },
    )


def _description(key: KeyRow, known: _Known, names: _Names) -> str | None:
    """A bound key's counts even when it has none; with a key for all, absent changes nothing."""
    if key.agent_name is not None:
        return names.agent_description
    return names.agent_description or known.agent_description


def _refuse_other_agent(known: _Known, names: _Names) -> None:
    if names.agent_name not in (None, known.agent_name):
        raise AgentNameConflict
    if names.agent_description not in (None, known.agent_description):
        raise AgentDescriptionConflict


def _refuse_reserved(batch: Batch, key: KeyRow, address: str) -> None:
    """Keeps an agent's own address for its keys."""
    owner = owner_of_slug(batch.connection, address, batch.now_ms)
    if owner is not None and owner != key.agent_name:
        raise AddressTaken(f"The address {address} is reserved for the keys of another agent.")


def _answer(
    batch: Batch, key: KeyRow, mailbox_id: int, *, created: bool
) -> tuple[MailboxRow, Registered]:
    shown = own_card(batch.connection, mailbox_id)
    row = MailboxRow(mailbox_id, shown.id, shown.agent_name, registered=True)
    return row, Registered(mailbox=shown, created=created, key=key_facts(key))
