"""Listing: pages of a mailbox's messages, filtered and searched."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select

from messenger_core.limits import TOTAL_CAP
from messenger_core.schema import thread
from messenger_core.wire.messages import MessagePage, MessageQuery
from messenger_server.database import Lookup
from messenger_server.store import pages
from messenger_server.store.addresses import mailbox_once_at
from messenger_server.store.folders import (
    ALL_FOLDERS,
    folded_name,
    folder_counts,
    folder_id_of,
)
from messenger_server.store.full_text import words_of
from messenger_server.store.summaries import CopyRow, Names, summary_of
from messenger_server.store.totals import Total, capped

_NOTHING: Final = MessagePage(messages=[], total=0, total_capped=False, next=None)

_THREAD: Final = Lookup(
    lambda columns: int(columns[0]),
    select(thread.c.id).where(thread.c.public_id == bindparam("public_id")),
    "public_id",
)


class _Question(NamedTuple):
    """A query with every name in it resolved."""

    shape: pages.Shape
    values: pages.Values


class _Found(NamedTuple):
    """What a search found."""

    seqs: list[int]
    """The newest, at least to the end of the page where there are as many."""
    total: int
    """Above the cap it says only that there are more."""


def list_messages(connection: Connection, mailbox_id: int, query: MessageQuery) -> MessagePage:
    """A page of a mailbox's messages, newest first.

    Raises:
        FolderNotFound: the mailbox has no folder of that name.
    """
    question = _question(connection, mailbox_id, query)
    if question is None:
        return _NOTHING
    if query.search is not None:
        return _searched(connection, question, query.search)
    # One more than wanted tells whether another page follows.
    ahead = question.values._replace(limit=query.limit + 1)
    rows = pages.page(question.shape).all(connection, *ahead)
    return _page(connection, rows, _total(connection, question), query.limit)


def _question(connection: Connection, mailbox_id: int, query: MessageQuery) -> _Question | None:
    """The query with its folder, sender and thread found; `None` where one of these is unknown.

    Raises:
        FolderNotFound: the mailbox has no folder of that name.
    """
    folder = None
    if folded_name(query.folder) != ALL_FOLDERS:
        folder = folder_id_of(connection, mailbox_id, query.folder)
    sender = None if query.from_ is None else mailbox_once_at(connection, query.from_)
    thread_id = None if query.thread_id is None else _THREAD.first(connection, query.thread_id)
    if (query.from_ is not None and sender is None) or (
        query.thread_id is not None and thread_id is None
    ):
        return None
    shape = pages.Shape(
        one_folder=folder is not None,
        unread_only=query.unread_only,
        from_other=sender not in (None, mailbox_id),
        from_self=sender == mailbox_id,
        in_thread=thread_id is not None,
        before=query.before is not None,
    )
    values = pages.Values(
        mailbox_id, folder, sender, thread_id, query.before, query.limit, query.offset
    )
    return _Question(shape, values)


def _total(connection: Connection, question: _Question) -> Total:
    """All that match, wherever the page begins."""
    shape, values = question
    if shape.from_other or shape.from_self or shape.in_thread:
        everything = pages.count(shape._replace(before=False))
        return capped(everything.first(connection, *values._replace(limit=TOTAL_CAP + 1)) or 0)
    counts = folder_counts(connection, values.of, values.folder)
    return capped(counts.unread) if shape.unread_only else Total(counts.total, is_capped=False)


def _searched(connection: Connection, question: _Question, text: str) -> MessagePage:
    words = words_of(question.values.of, text)
    if words is None:
        return _NOTHING
    shape = question.shape
    limit, offset = question.values.limit, question.values.offset
    wanted = offset + limit + 1  # one more tells whether another page follows
    values = question.values._replace(
        in_messages=words.in_messages, in_threads=words.in_threads, limit=TOTAL_CAP + 1
    )
    if pages.found_by_thread(shape._replace(before=False)).first(connection, *values) is None:
        found = _found_by_message(connection, shape, values, wanted)
    else:
        found = _found_by_both(connection, shape, values, wanted)
    rows = _copies(connection, values.of, found.seqs[offset:wanted])
    return _page(connection, rows, capped(found.total), limit)


def _found_by_message(
    connection: Connection, shape: pages.Shape, values: pages.Values, wanted: int
) -> _Found:
    """What a search finds that no thread's names answer: the most frequent kind.

    What lies beyond the page is counted by the engine, not fetched.
    """
    seqs = pages.found_by_message(shape).all(connection, *values._replace(limit=wanted))
    if shape.before:
        everything = pages.count_by_message(shape._replace(before=False))
        return _Found(seqs, everything.first(connection, *values) or 0)
    if len(seqs) < wanted or wanted > TOTAL_CAP:
        return _Found(seqs, len(seqs))
    rest = values._replace(before=seqs[-1], limit=TOTAL_CAP + 1 - wanted)
    beyond = pages.count_by_message(shape._replace(before=True)).first(connection, *rest)
    return _Found(seqs, wanted + (beyond or 0))


def _found_by_both(
    connection: Connection, shape: pages.Shape, values: pages.Values, wanted: int
) -> _Found:
    """What a search finds by a message's own words or by the names of its thread."""
    if shape.before:
        everything = _union(connection, shape._replace(before=False), values, TOTAL_CAP + 1)
        return _Found(_union(connection, shape, values, wanted), len(everything))
    seqs = _union(connection, shape, values, max(wanted, TOTAL_CAP + 1))
    return _Found(seqs, len(seqs))


def _union(
    connection: Connection, shape: pages.Shape, values: pages.Values, limit: int
) -> list[int]:
    asked = values._replace(limit=limit)
    seqs = {
        *pages.found_by_message(shape).all(connection, *asked),
        *pages.found_by_thread(shape).all(connection, *asked),
    }
    return sorted(seqs, reverse=True)[:limit]


def _copies(connection: Connection, mailbox_id: int, seqs: list[int]) -> list[CopyRow]:
    rows = connection.execute(pages.COPIES_BY_SEQ, {"of": mailbox_id, "seqs": seqs})
    return [CopyRow._make(row) for row in rows]


def _page(connection: Connection, rows: list[CopyRow], total: Total, limit: int) -> MessagePage:
    """The page of the first `limit` rows; one more says that another follows."""
    shown = rows[:limit]
    names = Names(connection, shown)
    return MessagePage(
        messages=[summary_of(row, names) for row in shown],
        total=total.number,
        total_capped=total.is_capped,
        next=shown[-1].seq if len(rows) > limit else None,
    )
