"""Pages: which copies of a mailbox a list shows, by their seq, newest first.

A page is found in an index that holds all that the question asks for, and only then are its
messages read. Each shape of question is one statement, built once.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Select, bindparam, exists, func, select

from messenger_core.schema import SENDER, TRASH, delivery, message
from messenger_server.database import Lookup
from messenger_server.store.full_text import (
    MESSAGE_WORDS,
    THREAD_WORDS,
    holds_message_words,
    holds_thread_words,
)
from messenger_server.store.summaries import COPIES, COPY, CopyRow


class Shape(NamedTuple):
    """Which conditions a question has."""

    one_folder: bool
    """Else every folder but the trash."""
    unread_only: bool
    from_other: bool
    """From one other mailbox."""
    from_self: bool
    """Sent by the mailbox itself."""
    in_thread: bool
    before: bool
    """Older than a seq."""


class Values(NamedTuple):
    """What the conditions of a question compare with; those that it does not have are ignored."""

    of: int
    """The mailbox."""
    folder: int | None = None
    sender: int | None = None
    thread: int | None = None
    before: int | None = None
    limit: int = 0
    offset: int = 0
    in_messages: str | None = None
    in_threads: str | None = None


def _seq(columns: Sequence[int]) -> int:
    return columns[0]


@cache
def page(shape: Shape) -> Lookup[CopyRow]:
    """The copies of a page; asked with all `Values`."""
    statement = (
        select(*COPY)
        .select_from(COPIES)
        .where(delivery.c.mailbox_id == bindparam("of"), delivery.c.seq.in_(_limited(_keys(shape))))
        .order_by(delivery.c.seq.desc())
    )
    return Lookup(CopyRow._make, statement, *Values._fields)


@cache
def count(shape: Shape) -> Lookup[int]:
    """How many copies there are, up to `limit`; asked with all `Values`."""
    keys = _keys(shape).limit(bindparam("limit")).subquery("found")
    return Lookup(_seq, select(func.count()).select_from(keys), *Values._fields)


@cache
def found_by_message(shape: Shape) -> Lookup[int]:
    """The seqs of copies that hold the words of `in_messages`; asked with all `Values`."""
    return Lookup(_seq, _by_message(shape), *Values._fields)


@cache
def count_by_message(shape: Shape) -> Lookup[int]:
    """How many such copies there are, up to `limit`; asked with all `Values`."""
    found = _by_message(shape).subquery("found")
    return Lookup(_seq, select(func.count()).select_from(found), *Values._fields)


@cache
def found_by_thread(shape: Shape) -> Lookup[int]:
    """The seqs of copies whose thread holds the words of `in_threads`; asked with all `Values`."""
    threads = select(THREAD_WORDS.c.rowid).where(holds_thread_words())
    own = exists().where(delivery.c.seq == message.c.seq, *_conditions(shape)).correlate(message)
    statement = (
        select(message.c.seq)
        .where(message.c.thread_id.in_(threads), own)
        .order_by(message.c.seq.desc())
        .limit(bindparam("limit"))
    )
    if shape.before:
        statement = statement.where(message.c.seq < bindparam("before"))
    return Lookup(_seq, statement, *Values._fields)


COPIES_BY_SEQ: Final = (
    select(*COPY)
    .select_from(COPIES)
    .where(
        delivery.c.mailbox_id == bindparam("of"),
        delivery.c.seq.in_(bindparam("seqs", expanding=True)),
    )
    .order_by(delivery.c.seq.desc())
)
"""The copies of a mailbox with these seqs, newest first."""


def _by_message(shape: Shape) -> Select[int]:
    """The copies that a search of messages finds, newest first, `limit` at most."""
    words = MESSAGE_WORDS.c.rowid
    # The sum keeps the engine from asking the index once for each copy.
    found = MESSAGE_WORDS.join(delivery, delivery.c.seq == words + 0)
    if _needs_message(shape):
        found = found.join(message, message.c.seq == delivery.c.seq)
    statement = (
        select(delivery.c.seq)
        .select_from(found)
        .where(holds_message_words(), *_conditions(shape))
        .order_by(words.desc())
        .limit(bindparam("limit"))
    )
    return statement.where(words < bindparam("before")) if shape.before else statement


def _keys(shape: Shape) -> Select[int]:
    """The seqs that fit, newest first."""
    needs_message = _needs_message(shape)
    seq = message.c.seq if needs_message else delivery.c.seq
    source: FromClause = delivery
    if needs_message:
        source = message.join(delivery, delivery.c.seq == message.c.seq)
    statement = select(seq).select_from(source).where(*_conditions(shape)).order_by(seq.desc())
    return statement.where(seq < bindparam("before")) if shape.before else statement


def _limited(statement: Select[int]) -> Select[int]:
    return statement.limit(bindparam("limit")).offset(bindparam("offset"))


def _needs_message(shape: Shape) -> bool:
    return shape.from_other or shape.in_thread


def _conditions(shape: Shape) -> list[ColumnElement[bool]]:
    """All but `before`, which is put where the index is."""
    conditions = [delivery.c.mailbox_id == bindparam("of")]
    if shape.one_folder:
        conditions.append(delivery.c.folder_id == bindparam("folder"))
    else:
        conditions.append(delivery.c.folder_id != TRASH)
    if shape.unread_only:
        conditions.append(delivery.c.read_at.is_(None))
    if shape.from_self:
        conditions.append(delivery.c.role == SENDER)
    if shape.from_other:
        conditions.append(message.c.sender_id == bindparam("sender"))
        conditions.append(message.c.recipient_id == bindparam("of"))
    if shape.in_thread:
        conditions.append(message.c.thread_id == bindparam("thread"))
    return conditions
