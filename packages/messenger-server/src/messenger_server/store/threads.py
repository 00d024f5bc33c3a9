"""Threads of a mailbox: listed, read, named."""

from functools import cache
from typing import Final, NamedTuple

from msgspec import UNSET
from sqlalchemy import Connection, Select, bindparam, func, select, union_all, update
from sqlalchemy.sql.selectable import CompoundSelect

from messenger_core.echo import echoed
from messenger_core.errors import ThreadNotFound
from messenger_core.limits import THREAD_PAGE_MAX_BYTES, TOTAL_CAP
from messenger_core.schema import delivery, mailbox, message, thread, thread_member
from messenger_core.wire.messages import MessageDetail
from messenger_core.wire.threads import (
    RenameThread,
    Thread,
    ThreadDetail,
    ThreadPage,
    ThreadQuery,
    ThreadReadQuery,
)
from messenger_server.database import Batch, Lookup
from messenger_server.store.addresses import mailbox_once_at
from messenger_server.store.details import DETAIL, DETAILS, DetailRow, detail_of, detail_row
from messenger_server.store.full_text import found_threads, words_of
from messenger_server.store.mailboxes import renamed
from messenger_server.store.summaries import Names
from messenger_server.store.thread_rows import TALK, TALKS, TalkRow, talk_row, thread_of
from messenger_server.store.totals import Total, capped

_NOTHING: Final = ThreadPage(threads=[], total=0, total_capped=False, next=None)


class _Shape(NamedTuple):
    """Which conditions a list of threads has."""

    unread_only: bool
    with_mailbox: bool
    searched: bool
    before: bool


class _Values(NamedTuple):
    """What its conditions compare with; those that it does not have are ignored."""

    of: int
    other: int | None
    in_messages: str | None
    in_threads: str | None
    before: int | None
    limit: int
    offset: int


class _Names(NamedTuple):
    """The names of a thread; the columns of `_NAMES`, in their order."""

    id: int
    subject: str
    title: str | None
    description: str | None
    named_by_id: int | None
    opener_id: int
    other_id: int


_ONE: Final = Lookup(
    talk_row,
    select(*TALK)
    .select_from(TALKS)
    .where(thread.c.public_id == bindparam("id"), thread_member.c.mailbox_id == bindparam("of")),
    "of",
    "id",
)
_MESSAGES = (
    select(*DETAIL)
    .select_from(DETAILS)
    .where(message.c.thread_id == bindparam("thread"), delivery.c.mailbox_id == bindparam("of"))
    .limit(bindparam("limit"))
    .offset(bindparam("offset"))
)
_OLDEST_FIRST: Final = Lookup(
    detail_row, _MESSAGES.order_by(message.c.seq), "of", "thread", "limit", "offset"
)
_NEWEST_FIRST: Final = Lookup(
    detail_row, _MESSAGES.order_by(message.c.seq.desc()), "of", "thread", "limit", "offset"
)
_THREAD_COUNT: Final = Lookup(
    lambda columns: int(columns[0]),
    select(mailbox.c.thread_count).where(mailbox.c.id == bindparam("of")),
    "of",
)
_NAMES: Final = Lookup(
    _Names._make,
    select(
        thread.c.id,
        thread.c.subject,
        thread.c.title,
        thread.c.description,
        thread.c.named_by_id,
        thread.c.opener_id,
        thread.c.other_id,
    )
    .select_from(thread.join(thread_member, thread_member.c.thread_id == thread.c.id))
    .where(thread.c.public_id == bindparam("id"), thread_member.c.mailbox_id == bindparam("of")),
    "of",
    "id",
)
_RENAME: Final = (
    update(thread)
    .where(thread.c.id == bindparam("of"))
    .values(
        title=bindparam("new_title"),
        description=bindparam("new_description"),
        named_by_id=bindparam("by"),
    )
)


def list_threads(connection: Connection, mailbox_id: int, query: ThreadQuery) -> ThreadPage:
    """A page of a mailbox's threads, latest activity first."""
    words = None if query.search is None else words_of(mailbox_id, query.search)
    other = None
    if query.with_mailbox is not None:
        other = mailbox_once_at(connection, query.with_mailbox)
    if (query.search is not None and words is None) or (
        query.with_mailbox is not None and other is None
    ):
        return _NOTHING
    shape = _Shape(
        unread_only=query.unread_only,
        with_mailbox=other is not None,
        searched=words is not None,
        before=query.before is not None,
    )
    values = _Values(
        of=mailbox_id,
        other=other,
        in_messages=words and words.in_messages,
        in_threads=words and words.in_threads,
        before=query.before,
        limit=query.limit + 1,  # one more than wanted tells whether another page follows
        offset=query.offset,
    )
    rows = _page(shape).all(connection, *values)
    shown = rows[: query.limit]
    names = Names(connection, [row.last for row in shown])
    total = _total(connection, shape, values)
    return ThreadPage(
        threads=[thread_of(row, names) for row in shown],
        total=total.number,
        total_capped=total.is_capped,
        next=shown[-1].last.seq if len(rows) > query.limit else None,
    )


def get_thread(
    connection: Connection, mailbox_id: int, thread_id: str, query: ThreadReadQuery
) -> ThreadDetail:
    """A thread with a page of the mailbox's copies of its messages.

    The page ends early before its bodies pass a megabyte; one message it has at least.

    Raises:
        ThreadNotFound: the mailbox has no copy of anything in it.
    """
    row = _talk(connection, mailbox_id, thread_id)
    question = _NEWEST_FIRST if query.newest_first else _OLDEST_FIRST
    found = question.each(connection, mailbox_id, row.thread_id, query.limit, query.offset)
    rows: list[DetailRow] = []
    size_bytes = 0
    for detail in found:
        size_bytes += len(detail.body.encode())
        if rows and size_bytes > THREAD_PAGE_MAX_BYTES:
            break
        rows.append(detail)
    names = Names(connection, [row.last, *(detail.copy for detail in rows)])
    messages: list[MessageDetail] = [detail_of(connection, detail, names) for detail in rows]
    return ThreadDetail(thread=thread_of(row, names), messages=messages, total=row.message_count)


def rename_thread(batch: Batch, mailbox_id: int, thread_id: str, names: RenameThread) -> Thread:
    """Names a thread for both its mailboxes; empty or null clears a name, an absent one stays.

    Raises:
        ThreadNotFound: the mailbox has no copy of anything in it.
    """
    now = _NAMES.first(batch.connection, mailbox_id, thread_id)
    if now is None:
        raise _unknown(thread_id)
    title = renamed(now.title, names.title)
    description = renamed(now.description, names.description)
    named_by = now.named_by_id if names.title is UNSET else mailbox_id
    batch.connection.execute(
        _RENAME,
        {
            "of": now.id,
            "new_title": title,
            "new_description": description,
            "by": None if title is None else named_by,
        },
    )
    # Both its mailboxes, copies or none: one that has none now may get a message of it again.
    both = now.opener_id, now.other_id
    batch.index_thread(now.id, both, title or now.subject, description)
    row = _talk(batch.connection, mailbox_id, thread_id)
    return thread_of(row, Names(batch.connection, [row.last]))


def _talk(connection: Connection, mailbox_id: int, thread_id: str) -> TalkRow:
    row = _ONE.first(connection, mailbox_id, thread_id)
    if row is None:
        raise _unknown(thread_id)
    return row


def _unknown(thread_id: str) -> ThreadNotFound:
    return ThreadNotFound(f"There is no thread {echoed(thread_id)} in this mailbox.")


def _total(connection: Connection, shape: _Shape, values: _Values) -> Total:
    """All threads that match, wherever the page begins."""
    if shape.unread_only or shape.with_mailbox or shape.searched:
        everything = _count(shape._replace(before=False))
        return capped(everything.first(connection, *values._replace(limit=TOTAL_CAP + 1)) or 0)
    return Total(_THREAD_COUNT.first(connection, values.of) or 0, is_capped=False)


@cache
def _page(shape: _Shape) -> Lookup[TalkRow]:
    keys = _keys(shape).limit(bindparam("limit")).offset(bindparam("offset")).subquery("page")
    statement = (
        select(*TALK)
        .select_from(TALKS.join(keys, keys.c.thread_id == thread_member.c.thread_id))
        .where(thread_member.c.mailbox_id == bindparam("of"))
        .order_by(keys.c.last_seq.desc())
    )
    return Lookup(talk_row, statement, *_Values._fields)


@cache
def _count(shape: _Shape) -> Lookup[int]:
    keys = _keys(shape).limit(bindparam("limit")).subquery("found")
    statement = select(func.count()).select_from(keys)
    return Lookup(lambda columns: int(columns[0]), statement, *_Values._fields)


def _keys(shape: _Shape) -> Select[int, int]:
    """The threads that fit, latest activity first."""
    statement = (
        select(thread_member.c.thread_id, thread_member.c.last_seq)
        .where(thread_member.c.mailbox_id == bindparam("of"))
        .order_by(thread_member.c.last_seq.desc())
    )
    if shape.unread_only:
        statement = statement.where(thread_member.c.unread_count > 0)
    if shape.with_mailbox:
        statement = statement.where(thread_member.c.thread_id.in_(_of_pair()))
    if shape.searched:
        statement = statement.where(thread_member.c.thread_id.in_(found_threads()))
    if shape.before:
        statement = statement.where(thread_member.c.last_seq < bindparam("before"))
    return statement


def _of_pair() -> CompoundSelect[int]:
    """The threads of two mailboxes, whoever opened them."""
    opened = select(thread.c.id).where(
        thread.c.opener_id == bindparam("of"), thread.c.other_id == bindparam("other")
    )
    joined = select(thread.c.id).where(
        thread.c.opener_id == bindparam("other"), thread.c.other_id == bindparam("of")
    )
    return union_all(opened, joined)
