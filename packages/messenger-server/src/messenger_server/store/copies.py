"""Copies: where a mailbox's messages lie and how they are marked, for whatever files them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, case, select

from messenger_core.schema import SENDER, delivery, message
from messenger_server.database import Lookup


class FiledCopy(NamedTuple):
    """A mailbox's copy of a message; the columns of `_COPIES`, in their order."""

    public_id: str
    mailbox_id: int
    seq: int
    thread_id: int
    other_id: int
    """The mailbox on the other side."""
    folder_id: int
    role: int
    priority: int
    announced_at: int | None
    read_at: int | None
    flagged: int
    """0 or 1."""

    @property
    def is_unread(self) -> bool:
        """Whether it counts among the unread."""
        return self.read_at is None


_COPIES = select(
    message.c.public_id,
    delivery.c.mailbox_id,
    delivery.c.seq,
    message.c.thread_id,
    case((delivery.c.role == SENDER, message.c.recipient_id), else_=message.c.sender_id),
    delivery.c.folder_id,
    delivery.c.role,
    message.c.priority,
    delivery.c.announced_at,
    delivery.c.read_at,
    delivery.c.flagged,
).select_from(delivery.join(message, message.c.seq == delivery.c.seq))

# One id at a time: asked for many at once, SQLite reads everything that the mailbox has.
_BY_ID: Final = Lookup(
    FiledCopy._make,
    _COPIES.where(delivery.c.mailbox_id == bindparam("of"), message.c.public_id == bindparam("id")),
    "of",
    "id",
)
_OF_MAILBOX: Final = Lookup(
    FiledCopy._make,
    _COPIES.where(delivery.c.mailbox_id == bindparam("of"))
    .order_by(delivery.c.seq)
    .limit(bindparam("most")),
    "of",
    "most",
)
_TRASHED: Final = Lookup(
    FiledCopy._make,
    _COPIES.where(delivery.c.trashed_at <= bindparam("until"))
    .order_by(delivery.c.trashed_at)
    .limit(bindparam("most")),
    "until",
    "most",
)


def copies_by_id(
    connection: Connection, mailbox_id: int, ids: Sequence[str]
) -> dict[str, FiledCopy]:
    """The copies that a mailbox has of these messages, by their ids; an unknown id is not there."""
    found = (_BY_ID.first(connection, mailbox_id, each) for each in dict.fromkeys(ids))
    return {copy.public_id: copy for copy in found if copy is not None}


def trashed_copies(connection: Connection, until_ms: int, most: int) -> list[FiledCopy]:
    """Copies of all mailboxes that went to the trash by this instant, longest there first."""
    return _TRASHED.all(connection, until_ms, most)


def copies_of(connection: Connection, mailbox_id: int, most: int) -> list[FiledCopy]:
    """Copies of one mailbox, the oldest first."""
    return _OF_MAILBOX.all(connection, mailbox_id, most)
