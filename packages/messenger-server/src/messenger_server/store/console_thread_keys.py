"""Console thread keys: which threads of the server a list shows, latest activity first.

A thread stands where the newest message is that either of its mailboxes has a copy of.
"""

from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    FromClause,
    Select,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from messenger_core.schema import SENDER, delivery, message, thread, thread_member
from messenger_server.store.console_filters import HIGH, Shape, mailboxes_of
from messenger_server.store.full_text import (
    MESSAGE_WORDS,
    THREAD_WORDS,
    holds_message_words,
    holds_thread_words,
)

SENT_UNREAD: Final = (
    delivery.c.read_at.is_(None),
    delivery.c.role == literal_column(str(SENDER)),
)
"""Copies that their own sender marked as unread: rare, and in an index of their own."""


@cache
def page(shape: Shape) -> Select[int, int]:
    """The keys of a page, as `keys` gives them."""
    return keys(shape).limit(bindparam("limit")).offset(bindparam("offset"))


def keys(shape: Shape) -> Select[int, int]:
    """The threads that fit, each with the seq of its newest message, latest activity first."""
    return _sorted(shape) if shape.has_rare else _walked(shape)


def _sorted(shape: Shape) -> Select[int, int]:
    """Threads that are few, put in order."""
    newest = (
        select(func.max(thread_member.c.last_seq))
        .where(thread_member.c.thread_id == thread.c.id)
        .scalar_subquery()
    )
    statement = select(thread.c.id, newest).where(*_conditions(shape, thread.c.id))
    if shape.before:
        statement = statement.where(newest < bindparam("before"))
    return statement.order_by(newest.desc())


def _walked(shape: Shape) -> Select[int, int]:
    """Threads that are many, met in order: each at that of its mailboxes which has the newest."""
    later = thread_member.alias("later")
    is_newest = ~exists().where(
        later.c.thread_id == thread_member.c.thread_id,
        or_(
            later.c.last_seq > thread_member.c.last_seq,
            and_(
                later.c.last_seq == thread_member.c.last_seq,
                later.c.mailbox_id > thread_member.c.mailbox_id,
            ),
        ),
    )
    source: FromClause = thread_member
    if shape.by_ids or shape.by_agent:
        source = thread_member.join(thread, thread.c.id == thread_member.c.thread_id)
    statement = (
        select(thread_member.c.thread_id, thread_member.c.last_seq)
        .select_from(source)
        .where(is_newest, *_conditions(shape, thread_member.c.thread_id))
        .order_by(thread_member.c.last_seq.desc())
    )
    if shape.before:
        statement = statement.where(thread_member.c.last_seq < bindparam("before"))
    return statement


def _conditions(shape: Shape, thread_id: ColumnElement[int]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if shape.by_ids or shape.by_agent:
        conditions.append(_of_mailboxes(shape))
    if shape.unread:
        conditions.append(_has_member(thread_id, "unread", _is_unread, shape.is_unread_rare))
    if shape.high:
        conditions.append(_has_member(thread_id, "high", _is_high, shape.is_high_rare))
    if shape.searched:
        conditions.append(thread_id.in_(_found()))
    return conditions


def _of_mailboxes(shape: Shape) -> ColumnElement[bool]:
    of = mailboxes_of(shape)
    if not shape.is_mailbox_rare:
        # The sums keep the engine from collecting every thread of theirs first.
        return or_((thread.c.opener_id + 0).in_(of), (thread.c.other_id + 0).in_(of))
    side = thread.alias("side")
    sides = (
        select(side.c.id).where(side.c.opener_id.in_(of)),
        select(side.c.id).where(side.c.other_id.in_(of)),
    )
    return thread.c.id.in_(union_all(*sides))


def _has_member(
    thread_id: ColumnElement[int], name: str, condition: Any, is_rare: bool
) -> ColumnElement[bool]:  # Any: a function of an alias, which has no type of its own
    """That one of the thread's mailboxes meets a condition."""
    member = thread_member.alias(name)
    if is_rare:
        return thread_id.in_(select(member.c.thread_id).where(condition(member)))
    return exists().where(member.c.thread_id == thread_id, condition(member))


def _is_high(member: Any) -> ColumnElement[bool]:
    return member.c.priority >= HIGH  # type: ignore[no-any-return]


def _is_unread(member: Any) -> ColumnElement[bool]:
    """That it has more unread copies than it sent itself."""
    sent = (
        select(func.count())
        .select_from(delivery.join(message, message.c.seq == delivery.c.seq))
        .where(
            *SENT_UNREAD,
            delivery.c.mailbox_id == member.c.mailbox_id,
            message.c.thread_id == member.c.thread_id,
        )
        .scalar_subquery()
    )
    return and_(member.c.unread_count > literal_column("0"), member.c.unread_count > sent)


def _found() -> CompoundSelect[int]:
    """The threads that hold the words that somebody typed, in their names or in a message."""
    own = message.alias("worded")
    # The sum keeps the engine from asking the index once for each message.
    worded = MESSAGE_WORDS.join(own, own.c.seq == MESSAGE_WORDS.c.rowid + 0)
    return union_all(
        select(THREAD_WORDS.c.rowid).where(holds_thread_words()),
        select(own.c.thread_id).select_from(worded).where(holds_message_words()),
    )
