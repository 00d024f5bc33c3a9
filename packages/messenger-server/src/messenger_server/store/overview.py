"""Overview: every mailbox with what passed through it, by agent, and the server's totals."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import asdict
from sqlalchemy import Connection, bindparam, func, select

from messenger_core.limits import ANNOUNCED_UNREAD_SECONDS
from messenger_core.schema import SENDER, delivery, folder_count, mailbox, message, thread
from messenger_core.wire.admin import (
    AnnouncedUnread,
    Overview,
    OverviewAgent,
    OverviewMailbox,
    Totals,
)
from messenger_core.wire.mailboxes import WatcherState
from messenger_server.database import Lookup
from messenger_server.store.cards import CARD, CardRow, mailbox_card

MAILBOX_ORDER: Final = (
    mailbox.c.last_activity_at.desc().nulls_last(),
    mailbox.c.created_at.desc(),
    mailbox.c.address,
)
"""Latest activity first; what is empty by its creation."""

_UNWATCHED: Final = WatcherState(armed=False, since=None, waiting=False)


class _Row(NamedTuple):
    """A living mailbox with the copies that it has."""

    card: CardRow
    sent: int
    received: int


def _row(columns: Sequence[Any]) -> _Row:  # Any: each column has a type of its own
    return _Row(CardRow._make(columns[:-2]), columns[-2], columns[-1])


def _count(columns: Sequence[int]) -> int:
    return columns[0]


_MAILBOXES: Final = Lookup(
    _row,
    select(*CARD, mailbox.c.sent_count, mailbox.c.received_count)
    .where(mailbox.c.deleted_at.is_(None))
    .order_by(*MAILBOX_ORDER),
)
_UNREAD: Final = Lookup(
    tuple,
    select(folder_count.c.mailbox_id, func.sum(folder_count.c.unread)).group_by(
        folder_count.c.mailbox_id
    ),
)
# What a mailbox sent and marked as unread itself: next to nothing, in an index of its own.
_SENT_UNREAD: Final = Lookup(
    tuple,
    select(delivery.c.mailbox_id, func.count())
    .where(delivery.c.read_at.is_(None), delivery.c.role == SENDER)
    .group_by(delivery.c.mailbox_id),
)
_MESSAGES: Final = Lookup(_count, select(func.count()).select_from(message))
_THREADS: Final = Lookup(_count, select(func.count()).select_from(thread))
_announced_unread = (
    delivery.c.announced_at < bindparam("until"),
    delivery.c.read_at.is_(None),
)
_ANNOUNCED_UNREAD: Final = Lookup(
    _count, select(func.count()).select_from(delivery).where(*_announced_unread), "until"
)
_OLDEST: Final = Lookup(
    lambda columns: str(columns[0]),
    select(thread.c.public_id)
    .select_from(
        delivery.join(message, message.c.seq == delivery.c.seq).join(
            thread, thread.c.id == message.c.thread_id
        )
    )
    .where(*_announced_unread)
    .order_by(delivery.c.announced_at, delivery.c.seq)
    .limit(1),
    "until",
)


def overview(connection: Connection, watchers: Mapping[int, WatcherState], now_ms: int) -> Overview:
    """The fleet at a glance; `watchers` are those of the mailboxes that have one."""
    mailboxes = _mailboxes(connection, watchers)
    agents = _by_agent(mailboxes)
    return Overview(
        agents=agents,
        totals=Totals(
            agents=len(agents),
            mailboxes=len(mailboxes),
            messages=_MESSAGES.first(connection) or 0,
            threads=_THREADS.first(connection) or 0,
            unread=sum(each.unread for each in mailboxes),
            announced_unread=_announced(connection, now_ms),
        ),
    )


def _mailboxes(
    connection: Connection, watchers: Mapping[int, WatcherState]
) -> list[OverviewMailbox]:
    unread = dict(_UNREAD.all(connection))
    for mailbox_id, number in _SENT_UNREAD.all(connection):
        unread[mailbox_id] -= number
    return [
        OverviewMailbox(
            **asdict(mailbox_card(row.card, linked=False)),
            unread=unread.get(row.card.id, 0),
            sent=row.sent,
            received=row.received,
            watcher=watchers.get(row.card.id, _UNWATCHED),
        )
        for row in _MAILBOXES.each(connection)
    ]


def _by_agent(mailboxes: Iterable[OverviewMailbox]) -> list[OverviewAgent]:
    """The mailboxes in their order by agent, each agent where its first one is."""
    groups: dict[tuple[str, str | None], list[OverviewMailbox]] = {}
    for each in mailboxes:
        alone = each.id if each.agent_name is None else ""
        groups.setdefault((alone, each.agent_name), []).append(each)
    return [
        OverviewAgent(
            agent_name=agent_name,
            agent_description=next(
                (each.agent_description for each in group if each.agent_description), None
            ),
            mailboxes=group,
        )
        for (_, agent_name), group in groups.items()
    ]


def _announced(connection: Connection, now_ms: int) -> AnnouncedUnread:
    until = now_ms - ANNOUNCED_UNREAD_SECONDS * 1000
    return AnnouncedUnread(
        count=_ANNOUNCED_UNREAD.first(connection, until) or 0,
        oldest_thread_id=_OLDEST.first(connection, until),
    )
