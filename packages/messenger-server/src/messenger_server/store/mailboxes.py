"""Mailboxes: found by their address, shown, renamed."""

from typing import Any, Final, NamedTuple

from msgspec import UNSET, UnsetType
from sqlalchemy import Connection, bindparam, select, update

from messenger_core.blank import unless_blank
from messenger_core.echo import echoed
from messenger_core.errors import MailboxNotFound, MailboxNotRegistered
from messenger_core.schema import counter, mailbox
from messenger_core.wire.common import Mailbox
from messenger_core.wire.mailboxes import RenameMailbox
from messenger_server.database import Batch, Database, Lookup
from messenger_server.store.addresses import mailbox_at
from messenger_server.store.cards import card_of


class MailboxRow(NamedTuple):
    """A living mailbox as the check of a request needs it."""

    id: int
    address: str
    agent_name: str | None
    registered: bool
    """A client has connected; else mail alone has made it."""


def _row(columns: tuple[Any, ...]) -> MailboxRow:  # Any: as the driver gives them
    mailbox_id, address, agent_name, last_seen_at = columns
    return MailboxRow(mailbox_id, address, agent_name, last_seen_at is not None)


_LIVING = select(
    mailbox.c.id, mailbox.c.address, mailbox.c.agent_name, mailbox.c.last_seen_at
).where(mailbox.c.deleted_at.is_(None))
_BY_ADDRESS: Final = Lookup(
    _row, _LIVING.where(mailbox.c.address == bindparam("address")), "address"
)
_BY_ID: Final = Lookup(_row, _LIVING.where(mailbox.c.id == bindparam("id")), "id")
_HEAD: Final = Lookup(lambda columns: int(columns[0]), select(counter.c.seq))
_NAMES: Final = select(mailbox.c.display_name, mailbox.c.description).where(
    mailbox.c.id == bindparam("of"), mailbox.c.deleted_at.is_(None)
)
_RENAME: Final = (
    update(mailbox)
    .where(mailbox.c.id == bindparam("of"))
    .values(display_name=bindparam("new_name"), description=bindparam("new_description"))
)


async def find_mailbox(database: Database, address: str) -> MailboxRow | None:
    """The living mailbox that an address or a claimed name means."""
    by_address = await database.lookup(_BY_ADDRESS, address)
    return by_address or await database.read(_by_name, address)


def head(connection: Connection) -> int:
    """The newest seq on the server, 0 before the first."""
    return _HEAD.first(connection) or 0


def card(connection: Connection, viewer_id: int, address: str) -> Mailbox:
    """A mailbox by its address, as the viewer sees it.

    Raises:
        MailboxNotFound: no living mailbox has it.
    """
    found = mailbox_at(connection, address)
    shown = None if found is None else card_of(connection, found, viewer_id)
    if shown is None:
        raise MailboxNotFound(f"There is no mailbox {echoed(address)}.")
    return shown


def own_card(connection: Connection, mailbox_id: int) -> Mailbox:
    """The caller's own mailbox.

    Raises:
        MailboxNotRegistered: it was purged meanwhile.
    """
    shown = card_of(connection, mailbox_id, mailbox_id)
    if shown is None:
        raise MailboxNotRegistered
    return shown


def rename(batch: Batch, mailbox_id: int, names: RenameMailbox) -> Mailbox:
    """Names a mailbox; empty or null clears a name, an absent one stays.

    Raises:
        MailboxNotRegistered: it was purged meanwhile.
    """
    now = batch.connection.execute(_NAMES, {"of": mailbox_id}).first()
    if now is None:
        raise MailboxNotRegistered
    batch.connection.execute(
        _RENAME,
        {
            "of": mailbox_id,
            "new_name": renamed(now[0], names.display_name),
            "new_description": renamed(now[1], names.description),
        },
    )
    return own_card(batch.connection, mailbox_id)


def renamed(now: str | None, wanted: str | UnsetType | None) -> str | None:
    """The name after a rename: absent leaves it, null or nothing visible clears it."""
    return now if wanted is UNSET else unless_blank(wanted)


def _by_name(connection: Connection, name: str) -> MailboxRow | None:
    found = mailbox_at(connection, name)
    return None if found is None else _BY_ID.first(connection, found)
