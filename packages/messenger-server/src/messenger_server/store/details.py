"""Details: a mailbox's copy of a message, whole, with its files and what became of it."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from msgspec.structs import asdict
from sqlalchemy import Connection, and_, bindparam, func, select

from messenger_core.schema import attachment, delivery, message, removed_delivery
from messenger_core.times import rfc3339_or_none
from messenger_core.wire.common import MessageType
from messenger_core.wire.messages import Attachment, MessageDetail
from messenger_server.store.summaries import COPIES, COPY, CopyRow, Names, summary_of


class DetailRow(NamedTuple):
    """The columns of `DETAIL`: those of the summary, then the rest in this order."""

    copy: CopyRow
    recipient_announced_at: int | None
    recipient_read_at: int | None
    type: str
    correlation_id: str | None
    to_name: str | None
    body: str


_COPY_COLUMNS: Final = len(COPY)
_theirs = delivery.alias("theirs")
_removed = removed_delivery.alias("removed")

DETAIL: Final = (
    *COPY,
    func.coalesce(_theirs.c.announced_at, _removed.c.announced_at),
    func.coalesce(_theirs.c.read_at, _removed.c.read_at),
    message.c.type,
    message.c.correlation_id,
    message.c.to_name,
    message.c.body,
)
"""What is selected for a whole message."""

DETAILS: Final = COPIES.outerjoin(
    _theirs,
    and_(_theirs.c.mailbox_id == message.c.recipient_id, _theirs.c.seq == message.c.seq),
).outerjoin(
    _removed,
    and_(_removed.c.seq == message.c.seq, _removed.c.mailbox_id == message.c.recipient_id),
)
"""Where it is selected from. The recipient's trail outlives the recipient's copy."""

_ATTACHMENTS: Final = (
    select(
        attachment.c.public_id,
        attachment.c.filename,
        attachment.c.mime_type,
        attachment.c.size_bytes,
        attachment.c.sha256,
    )
    .where(attachment.c.seq == bindparam("of"))
    .order_by(attachment.c.position)
)


def detail_row(columns: Sequence[Any]) -> DetailRow:  # Any: each column has a type of its own
    """A row of `DETAIL`."""
    return DetailRow(CopyRow._make(columns[:_COPY_COLUMNS]), *columns[_COPY_COLUMNS:])


def detail_of(connection: Connection, row: DetailRow, names: Names) -> MessageDetail:
    """The whole message as the copy's owner sees it."""
    return MessageDetail(
        **asdict(summary_of(row.copy, names)),
        body=row.body,
        attachments=files_of(connection, row.copy.seq) if row.copy.attachment_count else [],
        recipient_announced_at=rfc3339_or_none(row.recipient_announced_at),
        recipient_read_at=rfc3339_or_none(row.recipient_read_at),
        type=cast("MessageType", row.type),  # written from a MessageType alone
        correlation_id=row.correlation_id,
        to_name=row.to_name,
    )


def files_of(connection: Connection, seq: int) -> list[Attachment]:
    """The files of a message, in its sender's order."""
    return [
        Attachment(id=public_id, filename=filename, mime_type=mime_type, size=size, sha256=sha256)
        for public_id, filename, mime_type, size, sha256 in connection.execute(
            _ATTACHMENTS, {"of": seq}
        )
    ]
