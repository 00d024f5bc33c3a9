"""Console threads: the conversations of the whole server, as all their copies tell them."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, func, select

from messenger_core.echo import echoed
from messenger_core.errors import ThreadNotFound
from messenger_core.schema import delivery, message, thread, thread_member
from messenger_core.times import rfc3339
from messenger_core.wire.admin import (
    ConsoleThread,
    ConsoleThreadDetail,
    ConsoleThreadPage,
    ConsoleThreadQuery,
    ConsoleThreadReadQuery,
)
from messenger_core.wire.common import PRIORITIES
from messenger_server.database import Lookup
from messenger_server.store.console_filters import everything, question_of, total_of
from messenger_server.store.console_messages import (
    ConsoleNames,
    StoredMessage,
    message_of,
    stored_messages,
    summary_of,
    with_bodies,
)
from messenger_server.store.console_thread_keys import SENT_UNREAD, keys, page

_EVERYTHING: Final = everything(thread)
_NOTHING: Final = ConsoleThreadPage(threads=[], total=0, total_capped=False, next=None)


class _ThreadRow(NamedTuple):
    """The columns of `_THREAD`, in their order."""

    id: int
    public_id: str
    title: str
    description: str | None
    named_by_id: int | None
    opener_id: int
    other_id: int
    created_at: int


class _Facts(NamedTuple):
    """What its mailboxes' copies add up to; the columns of `_FACTS`, in their order."""

    last_seq: int
    priority: int
    unread: int
    """Copies that their sender marked as unread are among them."""


class _Stored(NamedTuple):
    row: _ThreadRow
    facts: _Facts


_THREADS = select(
    thread.c.id,
    thread.c.public_id,
    func.coalesce(thread.c.title, thread.c.subject),
    thread.c.description,
    thread.c.named_by_id,
    thread.c.opener_id,
    thread.c.other_id,
    thread.c.created_at,
)
_BY_ID: Final = Lookup(_ThreadRow._make, _THREADS.where(thread.c.id == bindparam("of")), "of")
_BY_PUBLIC_ID: Final = Lookup(
    _ThreadRow._make, _THREADS.where(thread.c.public_id == bindparam("id")), "id"
)
_FACTS: Final = Lookup(
    _Facts._make,
    select(
        func.max(thread_member.c.last_seq),
        func.max(thread_member.c.priority),
        func.sum(thread_member.c.unread_count),
    ).where(thread_member.c.thread_id == bindparam("of")),
    "of",
)
_SENT_UNREAD: Final = Lookup(
    lambda columns: int(columns[0]),
    select(func.count())
    .select_from(delivery.join(message, message.c.seq == delivery.c.seq))
    .where(
        *SENT_UNREAD,
        delivery.c.mailbox_id.in_([bindparam("one"), bindparam("other")]),
        message.c.thread_id == bindparam("of"),
    ),
    "one",
    "other",
    "of",
)
_COUNT: Final = Lookup(
    lambda columns: int(columns[0]),
    select(func.count()).select_from(message).where(message.c.thread_id == bindparam("of")),
    "of",
)
_SEQS = (
    select(message.c.seq)
    .where(message.c.thread_id == bindparam("of"))
    .limit(bindparam("limit"))
    .offset(bindparam("offset"))
)
_OLDEST_FIRST: Final = _SEQS.order_by(message.c.seq)
_NEWEST_FIRST: Final = _SEQS.order_by(message.c.seq.desc())


def list_console_threads(connection: Connection, query: ConsoleThreadQuery) -> ConsoleThreadPage:
    """A page of the server's threads, latest activity first.

    Raises:
        InvalidRequest: it names mailboxes in two ways.
    """
    question = question_of(connection, query)
    if question is None:
        return _NOTHING
    found = connection.execute(page(question.shape), question.parameters).all()
    rows = [_BY_ID.first(connection, each[0]) for each in found[: query.limit]]
    threads = _shown(connection, [row for row in rows if row is not None])
    total = total_of(connection, question, keys, _EVERYTHING)
    return ConsoleThreadPage(
        threads=threads,
        total=total.number,
        total_capped=total.is_capped,
        next=found[query.limit - 1][1] if len(found) > query.limit else None,
    )


def console_thread(
    connection: Connection, thread_id: str, query: ConsoleThreadReadQuery
) -> ConsoleThreadDetail:
    """A thread with a page of its messages, their trees left to the caller.

    With bodies the page ends early before these pass a megabyte; one message it has at least.

    Raises:
        ThreadNotFound: there is none.
    """
    row = _BY_PUBLIC_ID.first(connection, thread_id)
    if row is None:
        raise ThreadNotFound(f"There is no thread {echoed(thread_id)}.")
    statement = _NEWEST_FIRST if query.newest_first else _OLDEST_FIRST
    part = {"of": row.id, "limit": query.limit, "offset": query.offset}
    seqs = connection.execute(statement, part).scalars().all()
    stored = stored_messages(connection, seqs)
    names = ConsoleNames(connection, stored)
    messages = [message_of(connection, each, names) for each in stored]
    if query.bodies:
        messages = with_bodies(connection, messages, seqs)
    (shown,) = _shown(connection, [row])
    return ConsoleThreadDetail(thread=shown, messages=messages, total=shown.message_count)


def _shown(connection: Connection, rows: list[_ThreadRow]) -> list[ConsoleThread]:
    """The threads of a page, in its order."""
    stored = [_Stored(row, _facts(connection, row)) for row in rows]
    last = stored_messages(connection, (each.facts.last_seq for each in stored))
    sides = {side for row in rows for side in (row.opener_id, row.other_id)}
    names = ConsoleNames(connection, last, sides)
    by_seq = {each.row.seq: each for each in last}
    return [_thread(connection, each, by_seq[each.facts.last_seq], names) for each in stored]


def _facts(connection: Connection, row: _ThreadRow) -> _Facts:
    facts = _FACTS.first(connection, row.id)
    assert facts is not None, "a thread has copies"
    if facts.unread:
        sent = _SENT_UNREAD.first(connection, row.opener_id, row.other_id, row.id) or 0
        facts = facts._replace(unread=facts.unread - sent)
    return facts


def _thread(
    connection: Connection, stored: _Stored, last: StoredMessage, names: ConsoleNames
) -> ConsoleThread:
    row, facts = stored
    return ConsoleThread(
        id=row.public_id,
        title=row.title,
        description=row.description,
        named_by=None if row.named_by_id is None else names.parties[row.named_by_id],
        participants=[names.parties[row.opener_id], names.parties[row.other_id]],
        message_count=_COUNT.first(connection, row.id) or 0,
        unread_count=facts.unread,
        last_message=summary_of(last, names),
        priority=PRIORITIES[facts.priority],
        last_activity_at=rfc3339(last.row.created_at),
        created_at=rfc3339(row.created_at),
    )
