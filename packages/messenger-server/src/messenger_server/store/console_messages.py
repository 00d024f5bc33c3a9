"""Console messages: the server's own view of a message, with what became of each of its copies."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

from msgspec.structs import asdict, replace
from sqlalchemy import Connection, Integer, bindparam, func, select, type_coerce

from messenger_core.echo import echoed
from messenger_core.errors import AttachmentNotFound, MessageNotFound
from messenger_core.limits import THREAD_PAGE_MAX_BYTES
from messenger_core.schema import (
    RECIPIENT,
    SENDER,
    attachment,
    delivery,
    message,
    removed_delivery,
    thread,
)
from messenger_core.times import rfc3339, rfc3339_or_none
from messenger_core.wire.admin import ConsoleMessage, ConsoleSummary, Delivery
from messenger_core.wire.common import PRIORITIES, MessageType
from messenger_server.database import Lookup
from messenger_server.store.attachments import StoredAttachment
from messenger_server.store.details import files_of
from messenger_server.store.summaries import folders_named, parties_of


class _MessageRow(NamedTuple):
    """The columns of `_MESSAGE`, in their order; instants in milliseconds since 1970."""

    seq: int
    public_id: str
    thread_id: str
    thread_title: str
    sender_id: int
    recipient_id: int
    subject: str
    preview: str
    priority: int
    type: str
    attachment_count: int
    reply_to: str | None
    created_at: int
    correlation_id: str | None
    to_name: str | None


class _Copy(NamedTuple):
    """A copy, or the trail of one that is gone; the columns of `_COPIES`, in their order."""

    mailbox_id: int
    role: int
    folder_id: int | None
    """None: it is gone."""
    announced_at: int | None
    read_at: int | None
    flagged: int


class StoredMessage(NamedTuple):
    """A message with its copies, the sender's first."""

    row: _MessageRow
    copies: tuple[_Copy, _Copy]


_MESSAGE_COLUMNS: Final = (
    message.c.seq,
    message.c.public_id,
    thread.c.public_id,
    func.coalesce(thread.c.title, thread.c.subject),
    message.c.sender_id,
    message.c.recipient_id,
    message.c.subject,
    message.c.preview,
    message.c.priority,
    message.c.type,
    message.c.attachment_count,
    message.c.reply_to,
    message.c.created_at,
    message.c.correlation_id,
    message.c.to_name,
)
_MESSAGES = select(*_MESSAGE_COLUMNS).select_from(
    message.join(thread, thread.c.id == message.c.thread_id)
)
_BY_SEQ: Final = Lookup(_MessageRow._make, _MESSAGES.where(message.c.seq == bindparam("of")), "of")
_BY_ID: Final = Lookup(
    _MessageRow._make, _MESSAGES.where(message.c.public_id == bindparam("id")), "id"
)
_COPIES: Final = Lookup(
    _Copy._make,
    select(
        delivery.c.mailbox_id,
        delivery.c.role,
        delivery.c.folder_id,
        delivery.c.announced_at,
        delivery.c.read_at,
        type_coerce(delivery.c.flagged, Integer),
    ).where(delivery.c.seq == bindparam("of")),
    "of",
)
_TRAILS: Final = Lookup(
    lambda columns: _Copy(columns[0], columns[1], None, columns[2], columns[3], 0),
    select(
        removed_delivery.c.mailbox_id,
        removed_delivery.c.role,
        removed_delivery.c.announced_at,
        removed_delivery.c.read_at,
    ).where(removed_delivery.c.seq == bindparam("of")),
    "of",
)
_BODY: Final = Lookup(
    lambda columns: str(columns[0]),
    select(message.c.body).where(message.c.seq == bindparam("of")),
    "of",
)
_FILE: Final = Lookup(
    StoredAttachment._make,
    select(
        attachment.c.id,
        attachment.c.filename,
        attachment.c.mime_type,
        attachment.c.size_bytes,
        attachment.c.sha256,
    ).where(attachment.c.public_id == bindparam("id")),
    "id",
)


def console_message(connection: Connection, message_id: str) -> ConsoleMessage:
    """A message whole, without its tree: that is the caller's to make.

    Raises:
        MessageNotFound: nobody has a copy of it, or nobody ever had.
    """
    row = _BY_ID.first(connection, message_id)
    if row is None:
        raise MessageNotFound(f"There is no message {echoed(message_id)}.")
    stored = _with_copies(connection, row)
    shown = message_of(connection, stored, ConsoleNames(connection, [stored]))
    return replace(shown, body=_body(connection, row.seq))


def find_any_attachment(connection: Connection, attachment_id: str) -> StoredAttachment:
    """A file of whatever message.

    Raises:
        AttachmentNotFound: there is none.
    """
    found = _FILE.first(connection, attachment_id)
    if found is None:
        raise AttachmentNotFound(f"There is no attachment {echoed(attachment_id)}.")
    return found


def stored_messages(connection: Connection, seqs: Iterable[int]) -> list[StoredMessage]:
    """The messages with these seqs, in their order."""
    rows = (_BY_SEQ.first(connection, seq) for seq in seqs)
    return [_with_copies(connection, row) for row in rows if row is not None]


class ConsoleNames:
    """The names that a page of the console shows, as they are now."""

    def __init__(
        self,
        connection: Connection,
        messages: Sequence[StoredMessage],
        mailbox_ids: Iterable[int] = (),
    ) -> None:
        sides = {copy.mailbox_id for stored in messages for copy in stored.copies}
        self.parties = parties_of(connection, sides | set(mailbox_ids))
        """By internal id: of the messages' mailboxes, and of others that are named."""
        folders = {copy.folder_id for stored in messages for copy in stored.copies}
        self.folders = folders_named(connection, {each for each in folders if each is not None})


def summary_of(stored: StoredMessage, names: ConsoleNames) -> ConsoleSummary:
    """The message as lists show it."""
    row, (_, received) = stored
    return ConsoleSummary(
        id=row.public_id,
        thread_id=row.thread_id,
        thread_title=row.thread_title,
        from_=names.parties[row.sender_id],
        to=names.parties[row.recipient_id],
        subject=row.subject,
        preview=row.preview,
        priority=PRIORITIES[row.priority],
        type=cast("MessageType", row.type),  # written from a MessageType alone
        announced_at=rfc3339_or_none(received.announced_at),
        has_attachments=row.attachment_count > 0,
        reply_to=row.reply_to,
        created_at=rfc3339(row.created_at),
        deliveries=[_delivery(copy, names) for copy in stored.copies],
    )


def message_of(
    connection: Connection, stored: StoredMessage, names: ConsoleNames
) -> ConsoleMessage:
    """The message as a thread shows it before it is opened: without its body."""
    row, (_, received) = stored
    return ConsoleMessage(
        **asdict(summary_of(stored, names)),
        attachments=files_of(connection, row.seq) if row.attachment_count else [],
        recipient_announced_at=rfc3339_or_none(received.announced_at),
        recipient_read_at=rfc3339_or_none(received.read_at),
        correlation_id=row.correlation_id,
        to_name=row.to_name,
    )


def with_bodies(
    connection: Connection, messages: Sequence[ConsoleMessage], seqs: Sequence[int]
) -> list[ConsoleMessage]:
    """The first of these messages, whole: as many as a megabyte of bodies has room for, or one."""
    whole: list[ConsoleMessage] = []
    size_bytes = 0
    for shown, seq in zip(messages, seqs, strict=True):
        body = _body(connection, seq)
        size_bytes += len(body.encode())
        if whole and size_bytes > THREAD_PAGE_MAX_BYTES:
            break
        whole.append(replace(shown, body=body))
    return whole


def _with_copies(connection: Connection, row: _MessageRow) -> StoredMessage:
    """The message with what is known of its two copies, which are there or have left a trail."""
    found = [*_COPIES.all(connection, row.seq), *_TRAILS.all(connection, row.seq)]
    of = {copy.role: copy for copy in found}
    sent = of.get(SENDER) or _Copy(row.sender_id, SENDER, None, None, None, 0)
    received = of.get(RECIPIENT) or _Copy(row.recipient_id, RECIPIENT, None, None, None, 0)
    return StoredMessage(row, (sent, received))


def _delivery(copy: _Copy, names: ConsoleNames) -> Delivery:
    return Delivery(
        mailbox=names.parties[copy.mailbox_id],
        role="recipient" if copy.role == RECIPIENT else "sender",
        folder=None if copy.folder_id is None else names.folders[copy.folder_id],
        announced_at=rfc3339_or_none(copy.announced_at),
        read_at=rfc3339_or_none(copy.read_at),
        flagged=copy.flagged == 1,
        present=copy.folder_id is not None,
    )


def _body(connection: Connection, seq: int) -> str:
    body: Any = _BODY.first(connection, seq)
    assert body is not None, "a message has a body"
    return str(body)
