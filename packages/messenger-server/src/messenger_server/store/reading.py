"""Messages of a mailbox: listed, read, marked as read."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from messenger_core.echo import echoed
from messenger_core.errors import MessageNotFound
from messenger_core.schema import delivery, folder_count, message, thread_member
from messenger_core.wire.messages import MessageDetail
from messenger_server.database import Batch, Lookup
from messenger_server.store.details import DETAIL, DETAILS, detail_of, detail_row
from messenger_server.store.summaries import CopyRow, Names


class Copy(NamedTuple):
    """A message as one mailbox has it, with the internal ids of its row."""

    row: CopyRow
    detail: MessageDetail


class _Unread(NamedTuple):
    """Where an unread copy is counted; the columns of `_COPY_STATE`, in their order."""

    seq: int
    folder_id: int
    thread_id: int
    read_at: int | None


_READ: Final = Lookup(
    detail_row,
    select(*DETAIL)
    .select_from(DETAILS)
    .where(message.c.public_id == bindparam("id"), delivery.c.mailbox_id == bindparam("of")),
    "of",
    "id",
)
_COPY_STATE: Final = Lookup(
    _Unread._make,
    select(delivery.c.seq, delivery.c.folder_id, message.c.thread_id, delivery.c.read_at)
    .select_from(delivery.join(message, message.c.seq == delivery.c.seq))
    .where(message.c.public_id == bindparam("id"), delivery.c.mailbox_id == bindparam("of")),
    "of",
    "id",
)
_SET_READ: Final = (
    update(delivery)
    .where(delivery.c.mailbox_id == bindparam("of"), delivery.c.seq == bindparam("at_seq"))
    .values(read_at=bindparam("now_ms"))
)
_ONE_LESS_IN_FOLDER: Final = (
    update(folder_count)
    .where(
        folder_count.c.mailbox_id == bindparam("of"),
        folder_count.c.folder_id == bindparam("at_folder"),
    )
    .values(unread=folder_count.c.unread - 1)
)
_ONE_LESS_IN_THREAD: Final = (
    update(thread_member)
    .where(
        thread_member.c.mailbox_id == bindparam("of"),
        thread_member.c.thread_id == bindparam("at_thread"),
    )
    .values(unread_count=thread_member.c.unread_count - 1)
)


def read_message(connection: Connection, mailbox_id: int, message_id: str) -> MessageDetail:
    """A message of a mailbox, whole; nothing is marked.

    Raises:
        MessageNotFound: the mailbox has no copy of it.
    """
    return read_copy(connection, mailbox_id, message_id).detail


def read_copy(connection: Connection, mailbox_id: int, message_id: str) -> Copy:
    """The same, with the row that it was made from."""
    row = _READ.first(connection, mailbox_id, message_id)
    if row is None:
        raise MessageNotFound(f"There is no message {echoed(message_id)} in this mailbox.")
    return Copy(row.copy, detail_of(connection, row, Names(connection, [row.copy])))


def mark_read(batch: Batch, mailbox_id: int, message_id: str) -> MessageDetail:
    """Marks a mailbox's copy as read, once, and gives the message.

    Raises:
        MessageNotFound: the mailbox has no copy of it.
    """
    state = _COPY_STATE.first(batch.connection, mailbox_id, message_id)
    if state is not None and state.read_at is None:
        where = {"of": mailbox_id, "at_folder": state.folder_id, "at_thread": state.thread_id}
        connection = batch.connection
        connection.execute(
            _SET_READ, {"of": mailbox_id, "at_seq": state.seq, "now_ms": batch.now_ms}
        )
        connection.execute(_ONE_LESS_IN_FOLDER, where)
        connection.execute(_ONE_LESS_IN_THREAD, where)
    return read_message(batch.connection, mailbox_id, message_id)
