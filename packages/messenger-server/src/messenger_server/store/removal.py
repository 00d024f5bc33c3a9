"""Removal: copies that go for good, and what goes with them.

A copy leaves a trail while the other side keeps its own. With its last copy the message itself
goes, with its files and its place in the search; with its last message the thread.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, delete, exists, insert, select, update

from messenger_core.schema import (
    RECIPIENT,
    SENDER,
    attachment,
    attachment_chunk,
    delivery,
    mailbox,
    message,
    removed_delivery,
    thread,
    thread_member,
)
from messenger_server.database import Batch, Bulk, Lookup
from messenger_server.store.copies import FiledCopy
from messenger_server.store.tally import Tally


class _Member(NamedTuple):
    """A thread as one of its mailboxes sees it; the columns of `_MEMBER`, in their order."""

    message_count: int
    unread_count: int
    last_seq: int
    priority: int


class _Rest(NamedTuple):
    """A copy that a mailbox still has of a thread; the columns of `_REST`, in their order."""

    seq: int
    priority: int


_of_seq: BindParameter[int] = bindparam("of_seq")
_in_thread: BindParameter[int] = bindparam("in_thread")
_here = (thread_member.c.mailbox_id == bindparam("of"), thread_member.c.thread_id == _in_thread)

_HAS_COPY: Final = Lookup(
    lambda columns: int(columns[0]),
    select(delivery.c.seq).where(
        delivery.c.mailbox_id == bindparam("of"), delivery.c.seq == _of_seq
    ),
    "of",
    "of_seq",
)
_REMOVE: Final = Bulk(
    delete(delivery).where(delivery.c.mailbox_id == bindparam("of"), delivery.c.seq == _of_seq),
    "of",
    "of_seq",
)
_KEEP_TRAIL: Final = Bulk(
    insert(removed_delivery),
    "seq",
    "mailbox_id",
    "role",
    "announced_at",
    "read_at",
    "removed_at",
)
_files = select(attachment.c.id).where(attachment.c.seq == _of_seq)
_DELETE_MESSAGES: Final = tuple(
    Bulk(statement, "of_seq")
    for statement in (
        delete(attachment_chunk).where(attachment_chunk.c.attachment_id.in_(_files)),
        delete(attachment).where(attachment.c.seq == _of_seq),
        delete(removed_delivery).where(removed_delivery.c.seq == _of_seq),
        delete(message).where(message.c.seq == _of_seq),
    )
)
"""What is deleted of a message that nobody has any more, in this order."""

_MEMBER: Final = Lookup(
    _Member._make,
    select(
        thread_member.c.message_count,
        thread_member.c.unread_count,
        thread_member.c.last_seq,
        thread_member.c.priority,
    ).where(*_here),
    "of",
    "in_thread",
)
_REST: Final = Lookup(
    _Rest._make,
    select(message.c.seq, message.c.priority)
    .select_from(message.join(delivery, delivery.c.seq == message.c.seq))
    .where(message.c.thread_id == _in_thread, delivery.c.mailbox_id == bindparam("of"))
    .order_by(message.c.seq.desc()),
    "of",
    "in_thread",
)
_RECOUNT: Final = Bulk(
    update(thread_member)
    .where(*_here)
    .values({name: bindparam(f"new_{name}") for name in _Member._fields}),
    *(f"new_{name}" for name in _Member._fields),
    "of",
    "in_thread",
)
_LEAVE_THREADS: Final = Bulk(delete(thread_member).where(*_here), "of", "in_thread")
_LESS_THREADS: Final = Bulk(
    update(mailbox)
    .where(mailbox.c.id == bindparam("of"))
    .values(thread_count=mailbox.c.thread_count - 1),
    "of",
)
_COUNT_LESS: Final = Bulk(
    update(mailbox)
    .where(mailbox.c.id == bindparam("of"))
    .values(
        sent_count=mailbox.c.sent_count - bindparam("sent"),
        received_count=mailbox.c.received_count - bindparam("received"),
    ),
    "sent",
    "received",
    "of",
)
_HAS_MESSAGE: Final = Lookup(
    lambda columns: int(columns[0]),
    select(message.c.seq).where(message.c.thread_id == _in_thread).limit(1),
    "in_thread",
)
_DELETE_THREADS: Final = Bulk(delete(thread).where(thread.c.id == _in_thread), "in_thread")
_FORGET_MAILBOXES: Final = Bulk(
    delete(mailbox).where(
        mailbox.c.id == bindparam("of"),
        mailbox.c.deleted_at.is_not(None),
        ~exists().where(thread.c.opener_id == bindparam("of")),
        ~exists().where(thread.c.other_id == bindparam("of")),
    ),
    "of",
)


class Removed(NamedTuple):
    """What went for good with the last copies of messages."""

    messages: int
    threads: int


def remove_copies(batch: Batch, copies: Sequence[FiledCopy]) -> Removed:
    """Destroys these copies, of one mailbox or of several, each named once."""
    connection = batch.connection
    _REMOVE.write(connection, [(copy.mailbox_id, copy.seq) for copy in copies])
    kept: list[FiledCopy] = []
    gone: list[FiledCopy] = []
    for copy in copies:
        is_kept = _HAS_COPY.first(connection, copy.other_id, copy.seq) is not None
        (kept if is_kept else gone).append(copy)
    _leave_trail(batch, kept)
    _delete_messages(batch, {copy.seq for copy in gone})
    _leave_folders(connection, copies)
    _leave_threads(connection, copies)
    _count_less(connection, copies)
    threads = _delete_empty_threads(batch, {copy.thread_id for copy in gone})
    if threads:
        sides = {of for copy in gone for of in (copy.mailbox_id, copy.other_id)}
        forget_mailboxes(batch, sides)
    return Removed(len({copy.seq for copy in gone}), threads)


def forget_mailboxes(batch: Batch, mailbox_ids: Iterable[int]) -> None:
    """Destroys those of these mailboxes that are deleted, and whose names no thread shows."""
    _FORGET_MAILBOXES.write(batch.connection, [(of,) for of in mailbox_ids])


def _leave_trail(batch: Batch, copies: Sequence[FiledCopy]) -> None:
    """Notes what became of copies whose message stays; the other side alone finds it now."""
    _KEEP_TRAIL.write(
        batch.connection,
        [
            (
                copy.seq,
                copy.mailbox_id,
                copy.role,
                copy.announced_at,
                copy.read_at,
                batch.now_ms,
            )
            for copy in copies
        ],
    )
    for copy in copies:
        batch.readdress_message(copy.seq, [copy.other_id])


def _delete_messages(batch: Batch, seqs: Iterable[int]) -> None:
    rows = [(seq,) for seq in seqs]
    for deletion in _DELETE_MESSAGES:
        deletion.write(batch.connection, rows)
    for (seq,) in rows:
        batch.forget_message(seq)


def _leave_folders(connection: Connection, copies: Sequence[FiledCopy]) -> None:
    tally = Tally()
    for copy in copies:
        unread = int(copy.is_unread)
        tally.add_to_folder(copy.mailbox_id, copy.folder_id, copies=-1, unread=-unread)
    tally.write(connection)


def _count_less(connection: Connection, copies: Sequence[FiledCopy]) -> None:
    sent = Counter(copy.mailbox_id for copy in copies if copy.role == SENDER)
    received = Counter(copy.mailbox_id for copy in copies if copy.role == RECIPIENT)
    _COUNT_LESS.write(connection, [(sent[of], received[of], of) for of in {*sent, *received}])


def _leave_threads(connection: Connection, copies: Sequence[FiledCopy]) -> None:
    """Brings the facts of each thread up to date for each mailbox that lost copies of it."""
    lost: dict[tuple[int, int], list[FiledCopy]] = {}
    for copy in copies:
        lost.setdefault((copy.mailbox_id, copy.thread_id), []).append(copy)
    left: list[tuple[int, int]] = []
    recounted: list[tuple[int, ...]] = []
    for of, gone in lost.items():
        member = _MEMBER.first(connection, *of)
        assert member is not None, "a mailbox with a copy is a member of its thread"
        if member.message_count == len(gone):
            left.append(of)
        else:
            recounted.append((*_recounted(connection, of, member, gone), *of))
    _RECOUNT.write(connection, recounted)
    _LEAVE_THREADS.write(connection, left)
    _LESS_THREADS.write(connection, [(mailbox_id,) for mailbox_id, _ in left])


def _recounted(
    connection: Connection, of: tuple[int, int], member: _Member, gone: Sequence[FiledCopy]
) -> _Member:
    """The facts of a thread without the copies that are gone; some are left."""
    last_seq, priority = member.last_seq, member.priority
    if any(copy.seq == last_seq or copy.priority == priority for copy in gone):
        last_seq, priority = _newest_and_highest(_REST.each(connection, *of), member.priority)
    return _Member(
        message_count=member.message_count - len(gone),
        unread_count=member.unread_count - sum(copy.is_unread for copy in gone),
        last_seq=last_seq,
        priority=priority,
    )


def _newest_and_highest(rest: Iterable[_Rest], most: int) -> tuple[int, int]:
    """The newest seq and the highest priority, `most` at most, of copies that come newest first.

    Nearly always the first one has both: a long thread is not read.
    """
    newest, highest = 0, 0
    for seq, priority in rest:
        newest = newest or seq
        highest = max(highest, priority)
        if highest == most:
            break
    return newest, highest


def _delete_empty_threads(batch: Batch, thread_ids: Iterable[int]) -> int:
    empty = [each for each in thread_ids if _HAS_MESSAGE.first(batch.connection, each) is None]
    _DELETE_THREADS.write(batch.connection, [(each,) for each in empty])
    for thread_id in empty:
        batch.forget_thread(thread_id)
    return len(empty)
