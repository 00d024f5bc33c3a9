"""Console listing: pages of the server's messages, newest first."""

from functools import cache
from typing import Final

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    bindparam,
    exists,
    or_,
    select,
    union,
    union_all,
)

from messenger_core.schema import RECIPIENT, delivery, message, removed_delivery
from messenger_core.wire.admin import ConsoleMessagePage, ConsoleMessageQuery
from messenger_server.store.console_filters import (
    HIGH,
    Shape,
    everything,
    mailboxes_of,
    question_of,
    total_of,
)
from messenger_server.store.console_messages import ConsoleNames, stored_messages, summary_of
from messenger_server.store.full_text import (
    MESSAGE_WORDS,
    THREAD_WORDS,
    holds_message_words,
    holds_thread_words,
)

_EVERYTHING: Final = everything(message)
_NOTHING: Final = ConsoleMessagePage(messages=[], total=0, total_capped=False, next=None)


def list_console_messages(connection: Connection, query: ConsoleMessageQuery) -> ConsoleMessagePage:
    """A page of the server's messages, newest first."""
    question = question_of(connection, query)
    if question is None:
        return _NOTHING
    seqs = connection.execute(_page(question.shape), question.parameters).scalars().all()
    shown = stored_messages(connection, seqs[: query.limit])
    names = ConsoleNames(connection, shown)
    total = total_of(connection, question, keys, _EVERYTHING)
    return ConsoleMessagePage(
        messages=[summary_of(each, names) for each in shown],
        total=total.number,
        total_capped=total.is_capped,
        next=shown[-1].row.seq if len(seqs) > query.limit else None,
    )


def keys(shape: Shape) -> Select[int]:
    """The seqs that fit, newest first."""
    statement = select(message.c.seq).where(*_conditions(shape))
    if shape.before:
        statement = statement.where(message.c.seq < bindparam("before"))
    # The sum keeps the engine from walking down the messages for the few that fit.
    order = message.c.seq + 0 if shape.has_rare else message.c.seq
    return statement.order_by(order.desc())


@cache
def _page(shape: Shape) -> Select[int]:
    return keys(shape).limit(bindparam("limit")).offset(bindparam("offset"))


def _conditions(shape: Shape) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if shape.by_ids:
        conditions.append(_of_mailboxes(shape))
    if shape.unread:
        conditions.append(_unread(is_rare=shape.is_unread_rare))
    if shape.high:
        conditions.append(message.c.priority >= HIGH)
    if shape.searched:
        conditions.append(message.c.seq.in_(_found()))
    return conditions


def _of_mailboxes(shape: Shape) -> ColumnElement[bool]:
    of = mailboxes_of(shape)
    if not shape.is_mailbox_rare:
        # The sums keep the engine from collecting every message of theirs first.
        return or_((message.c.sender_id + 0).in_(of), (message.c.recipient_id + 0).in_(of))
    there = select(delivery.c.seq).where(delivery.c.mailbox_id.in_(of))
    gone = select(removed_delivery.c.seq).where(removed_delivery.c.mailbox_id.in_(of))
    return message.c.seq.in_(union(there, gone))


def _unread(*, is_rare: bool) -> ColumnElement[bool]:
    """Not read by who received it."""
    if is_rare:
        rows = select(delivery.c.seq).where(
            delivery.c.read_at.is_(None), delivery.c.role == RECIPIENT
        )
        return message.c.seq.in_(rows)
    return exists().where(
        delivery.c.mailbox_id == message.c.recipient_id,
        delivery.c.seq == message.c.seq,
        delivery.c.read_at.is_(None),
    )


def _found() -> CompoundSelect[int]:
    """What holds the words that somebody typed, itself or in the names of its thread."""
    named = select(THREAD_WORDS.c.rowid).where(holds_thread_words())
    other = message.alias("of_thread")
    return union_all(
        select(MESSAGE_WORDS.c.rowid).where(holds_message_words()),
        select(other.c.seq).where(other.c.thread_id.in_(named)),
    )
