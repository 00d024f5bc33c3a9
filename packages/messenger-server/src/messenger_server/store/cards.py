"""Cards: how a mailbox is shown, as one side of a message and in the directory."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, exists, select

from messenger_core.schema import link_side, mailbox
from messenger_core.times import rfc3339, rfc3339_or_none
from messenger_core.wire.common import Mailbox, Party


class CardRow(NamedTuple):
    """The columns of `CARD`, in their order; instants in milliseconds since 1970."""

    id: int
    address: str
    agent_name: str | None
    agent_description: str | None
    display_name: str | None
    description: str | None
    created_at: int
    last_seen_at: int | None
    last_activity_at: int | None


CARD: Final = (
    mailbox.c.id,
    mailbox.c.address,
    mailbox.c.agent_name,
    mailbox.c.agent_description,
    mailbox.c.display_name,
    mailbox.c.description,
    mailbox.c.created_at,
    mailbox.c.last_seen_at,
    mailbox.c.last_activity_at,
)
"""What is selected for a card."""

_ONE: Final = select(
    *CARD,
    exists()
    .where(link_side.c.mailbox_id == bindparam("viewer"), link_side.c.other_id == mailbox.c.id)
    .label("linked"),
).where(mailbox.c.id == bindparam("mailbox_id"), mailbox.c.deleted_at.is_(None))


def party(
    address: str, agent_name: str | None, display_name: str | None, deleted_at: int | None
) -> Party:
    """One side of a message or thread."""
    return Party(
        id=address,
        agent_name=agent_name,
        display_name=display_name,
        deleted=deleted_at is not None,
    )


def mailbox_card(row: CardRow, *, linked: bool) -> Mailbox:
    """A mailbox as the directory shows it."""
    return Mailbox(
        id=row.address,
        agent_name=row.agent_name,
        agent_description=row.agent_description,
        display_name=row.display_name,
        description=row.description,
        created_at=rfc3339(row.created_at),
        last_seen_at=rfc3339_or_none(row.last_seen_at),
        last_activity_at=rfc3339_or_none(row.last_activity_at),
        linked=linked,
    )


def card_of(connection: Connection, mailbox_id: int, viewer_id: int) -> Mailbox | None:
    """The card of a living mailbox, as another one (or itself) sees it."""
    row = connection.execute(_ONE, {"mailbox_id": mailbox_id, "viewer": viewer_id}).first()
    if row is None:
        return None
    return mailbox_card(CardRow._make(row[:-1]), linked=bool(row[-1]))
