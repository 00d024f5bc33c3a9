"""Console links: two mailboxes put in touch by the person, as both of them see it."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select

from messenger_core.blank import unless_blank
from messenger_core.echo import echoed
from messenger_core.errors import (
    AlreadyLinked,
    FieldError,
    InvalidRequest,
    LinkNotFound,
    MailboxNotFound,
)
from messenger_core.ids import new_link_id
from messenger_core.schema import link, link_side, mailbox
from messenger_core.times import rfc3339, rfc3339_or_none
from messenger_core.wire.admin import ConsoleLink, CreateLink, LinkEnd
from messenger_server.database import Batch, Lookup
from messenger_server.store.addresses import mailbox_at
from messenger_server.store.cards import CARD, CardRow, mailbox_card


class NewLink(NamedTuple):
    """A link that was made."""

    shown: ConsoleLink
    mailbox_ids: tuple[int, int]
    """Whose watchers have to hear of it."""


class _Side(NamedTuple):
    """One of the two rows of a link; the columns of `_SIDES`, in their order."""

    public_id: str
    note: str | None
    created_at: int
    received_at: int | None
    card: CardRow


def _side(columns: Sequence[Any]) -> _Side:  # Any: columns of several types
    return _Side._make((*columns[:4], CardRow._make(columns[4:])))


_SIDES = (
    select(link.c.public_id, link.c.note, link.c.created_at, link_side.c.received_at, *CARD)
    .select_from(
        link.join(link_side, link_side.c.link_id == link.c.id).join(
            mailbox, mailbox.c.id == link_side.c.mailbox_id
        )
    )
    .order_by(link.c.seq.desc(), link_side.c.mailbox_id)
)
_ALL: Final = Lookup(_side, _SIDES)
_ONE: Final = Lookup(_side, _SIDES.where(link.c.public_id == bindparam("id")), "id")
_ARE_LINKED: Final = Lookup(
    tuple,
    select(link_side.c.link_id).where(
        link_side.c.mailbox_id == bindparam("one"), link_side.c.other_id == bindparam("other")
    ),
    "one",
    "other",
)
_FIND: Final = Lookup(
    lambda columns: int(columns[0]),
    select(link.c.id).where(link.c.public_id == bindparam("id")),
    "id",
)
_NEW_LINK: Final = insert(link)
_NEW_SIDES: Final = insert(link_side)
_DELETE_SIDES: Final = delete(link_side).where(link_side.c.link_id == bindparam("of"))
_DELETE: Final = delete(link).where(link.c.id == bindparam("of"))


def list_console_links(connection: Connection) -> list[ConsoleLink]:
    """Every link, newest first."""
    return _links(_ALL.all(connection))


def create_link(batch: Batch, wanted: CreateLink) -> NewLink:
    """Puts two mailboxes in touch.

    Raises:
        InvalidRequest: they are one and the same.
        MailboxNotFound: one is not there; names it.
        AlreadyLinked: they are linked.
    """
    connection = batch.connection
    one, other = _ends(connection, wanted.mailboxes)
    if _ARE_LINKED.first(connection, one, other) is not None:
        raise AlreadyLinked(f"{' and '.join(wanted.mailboxes)} are linked already.")
    row = {
        "public_id": new_link_id(),
        "seq": batch.take_seq(),
        "note": unless_blank(wanted.note),
        "created_at": batch.now_ms,
    }
    inserted = connection.execute(_NEW_LINK, row).inserted_primary_key
    assert inserted is not None
    pairs = (one, other), (other, one)
    connection.execute(
        _NEW_SIDES,
        [{"mailbox_id": of, "other_id": to, "link_id": inserted[0]} for of, to in pairs],
    )
    (shown,) = _links(_ONE.all(connection, row["public_id"]))
    return NewLink(shown, (one, other))


def delete_link(batch: Batch, public_id: str) -> None:
    """Parts two mailboxes.

    Raises:
        LinkNotFound: there is no such link.
    """
    found = _FIND.first(batch.connection, public_id)
    if found is None:
        raise LinkNotFound(f"There is no link {echoed(public_id)}.")
    batch.connection.execute(_DELETE_SIDES, {"of": found})
    batch.connection.execute(_DELETE, {"of": found})


def _ends(connection: Connection, addresses: Sequence[str]) -> tuple[int, int]:
    found = [mailbox_at(connection, address) for address in addresses]
    for address, of in zip(addresses, found, strict=True):
        if of is None:
            raise MailboxNotFound(f"There is no mailbox {echoed(address)}.")
    one, other = found
    assert one is not None
    assert other is not None
    if one == other:
        said = "names the same mailbox twice: give two"
        raise InvalidRequest(f"`mailboxes` {said}.", errors=[FieldError("mailboxes", said)])
    return one, other


def _links(sides: Sequence[_Side]) -> list[ConsoleLink]:
    """The links of these sides, which come in pairs."""
    ends: dict[str, list[_Side]] = {}
    for side in sides:
        ends.setdefault(side.public_id, []).append(side)
    return [
        ConsoleLink(
            id=public_id,
            mailboxes=[
                LinkEnd(
                    mailbox=mailbox_card(side.card, linked=False),
                    received_at=rfc3339_or_none(side.received_at),
                )
                for side in both
            ],
            note=both[0].note,
            created_at=rfc3339(both[0].created_at),
        )
        for public_id, both in ends.items()
    ]
