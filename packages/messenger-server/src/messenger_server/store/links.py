"""Links: relations between two mailboxes, as each of the two sees them."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from messenger_core.schema import link, link_side, mailbox
from messenger_core.times import rfc3339, rfc3339_or_none
from messenger_core.wire.links import Link
from messenger_server.database import Batch
from messenger_server.store.cards import CARD, CardRow, mailbox_card


class _LinkRow(NamedTuple):
    """The first columns of `_LINKS`; those of the other mailbox's card follow."""

    public_id: str
    seq: int
    note: str | None
    created_at: int
    received_at: int | None


_LINK_COLUMNS: Final = len(_LinkRow._fields)

_LINKS: Final = (
    select(
        link.c.public_id,
        link.c.seq,
        link.c.note,
        link.c.created_at,
        link_side.c.received_at,
        *CARD,
    )
    .select_from(
        link_side.join(link, link.c.id == link_side.c.link_id).join(
            mailbox, mailbox.c.id == link_side.c.other_id
        )
    )
    .where(link_side.c.mailbox_id == bindparam("of"))
)
_NEWEST_FIRST: Final = _LINKS.order_by(link.c.seq.desc())
_LATER: Final = _LINKS.where(
    link.c.seq > bindparam("after"), link.c.seq <= bindparam("until")
).order_by(link.c.seq)
_IS_LINKED: Final = select(link_side.c.other_id).where(link_side.c.mailbox_id == bindparam("of"))
_RECEIVE: Final = (
    update(link_side)
    .where(link_side.c.mailbox_id == bindparam("of"), link_side.c.received_at.is_(None))
    .values(received_at=bindparam("now_ms"))
)
_NOT_RECEIVED: Final = (
    select(link_side.c.link_id)
    .where(link_side.c.mailbox_id == bindparam("of"), link_side.c.received_at.is_(None))
    .limit(1)
)


def links_of(connection: Connection, mailbox_id: int) -> list[Link]:
    """The links of a mailbox, newest first."""
    return [_link(row) for row in connection.execute(_NEWEST_FIRST, {"of": mailbox_id})]


def links_between(connection: Connection, mailbox_id: int, after: int, until: int) -> list[Link]:
    """The links of a mailbox whose seq is above `after` and at most `until`, oldest first."""
    found = connection.execute(_LATER, {"of": mailbox_id, "after": after, "until": until})
    return [_link(row) for row in found]


def linked_ids(connection: Connection, mailbox_id: int) -> set[int]:
    """The mailboxes that a mailbox is linked to, by internal id."""
    return set(connection.execute(_IS_LINKED, {"of": mailbox_id}).scalars())


def has_unreceived_links(connection: Connection, mailbox_id: int) -> bool:
    """Whether `mark_links_received` would change anything: a write that can be spared."""
    return connection.execute(_NOT_RECEIVED, {"of": mailbox_id}).first() is not None


def mark_links_received(batch: Batch, mailbox_id: int) -> None:
    """Notes that a mailbox has learned of its links."""
    batch.connection.execute(_RECEIVE, {"of": mailbox_id, "now_ms": batch.now_ms})


def _link(row: Sequence[Any]) -> Link:  # Any: columns of several types
    facts = _LinkRow._make(row[:_LINK_COLUMNS])
    return Link(
        id=facts.public_id,
        seq=facts.seq,
        mailbox=mailbox_card(CardRow._make(row[_LINK_COLUMNS:]), linked=True),
        note=facts.note,
        created_at=rfc3339(facts.created_at),
        received_at=rfc3339_or_none(facts.received_at),
    )
