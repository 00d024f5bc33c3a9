"""Thread rows: a thread as one of its mailboxes sees it, from the columns to what a reader gets.

It is selected by its newest copy, whose two parties are those of the thread.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import and_

from messenger_core.schema import delivery, thread, thread_member
from messenger_core.times import rfc3339
from messenger_core.wire.common import PRIORITIES
from messenger_core.wire.threads import Thread
from messenger_server.store.summaries import COPIES, COPY, CopyRow, Names, summary_of


class TalkRow(NamedTuple):
    """The columns of `TALK`: those of the newest copy, then the rest in this order."""

    last: CopyRow
    thread_id: int
    description: str | None
    named_by_id: int | None
    opener_id: int
    created_at: int
    message_count: int
    unread_count: int
    priority: int


_COPY_COLUMNS: Final = len(COPY)

TALK: Final = (
    *COPY,
    thread.c.id,
    thread.c.description,
    thread.c.named_by_id,
    thread.c.opener_id,
    thread.c.created_at,
    thread_member.c.message_count,
    thread_member.c.unread_count,
    thread_member.c.priority,
)
"""What is selected for a thread."""

TALKS: Final = COPIES.join(
    thread_member,
    and_(
        thread_member.c.thread_id == thread.c.id,
        thread_member.c.mailbox_id == delivery.c.mailbox_id,
        thread_member.c.last_seq == delivery.c.seq,
    ),
)
"""Where it is selected from; one row a thread and mailbox."""


def talk_row(columns: Sequence[Any]) -> TalkRow:  # Any: each column has a type of its own
    """A row of `TALK`."""
    return TalkRow(CopyRow._make(columns[:_COPY_COLUMNS]), *columns[_COPY_COLUMNS:])


def thread_of(row: TalkRow, names: Names) -> Thread:
    """The thread as the copy's owner sees it."""
    last = row.last
    parties = names.parties
    other_id = last.recipient_id if row.opener_id == last.sender_id else last.sender_id
    return Thread(
        id=last.thread_id,
        title=last.thread_title,
        description=row.description,
        named_by=None if row.named_by_id is None else parties.get(row.named_by_id),
        participants=[parties[row.opener_id], parties[other_id]],
        message_count=row.message_count,
        unread_count=row.unread_count,
        last_message=summary_of(last, names),
        priority=PRIORITIES[row.priority],
        last_activity_at=rfc3339(last.created_at),
        created_at=rfc3339(row.created_at),
    )
