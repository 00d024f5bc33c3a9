"""Summaries: a mailbox's copy of a message, from the columns to what a reader gets."""

from typing import Final, NamedTuple

from sqlalchemy import Integer, func, type_coerce

from messenger_core.schema import RECIPIENT, delivery, folder, mailbox, message, thread
from messenger_core.times import rfc3339, rfc3339_or_none
from messenger_core.wire.common import PRIORITIES, Party
from messenger_core.wire.messages import MessageSummary
from messenger_server.store.cards import party


class CopyRow(NamedTuple):
    """The columns of `COPY`, in their order; instants in milliseconds since 1970."""

    public_id: str
    seq: int
    thread_id: str
    thread_title: str
    sender_id: int
    sender_address: str
    sender_agent: str | None
    sender_name: str | None
    sender_deleted_at: int | None
    recipient_id: int
    recipient_address: str
    recipient_agent: str | None
    recipient_name: str | None
    recipient_deleted_at: int | None
    subject: str
    preview: str
    priority: int
    folder: str
    role: int
    announced_at: int | None
    read_at: int | None
    flagged: int
    attachment_count: int
    reply_to: str | None
    created_at: int


_sender = mailbox.alias("sender")
_recipient = mailbox.alias("recipient")

COPY: Final = (
    message.c.public_id,
    message.c.seq,
    thread.c.public_id,
    func.coalesce(thread.c.title, thread.c.subject),
    message.c.sender_id,
    _sender.c.address,
    _sender.c.agent_name,
    _sender.c.display_name,
    _sender.c.deleted_at,
    message.c.recipient_id,
    _recipient.c.address,
    _recipient.c.agent_name,
    _recipient.c.display_name,
    _recipient.c.deleted_at,
    message.c.subject,
    message.c.preview,
    message.c.priority,
    folder.c.name,
    delivery.c.role,
    delivery.c.announced_at,
    delivery.c.read_at,
    type_coerce(delivery.c.flagged, Integer),
    message.c.attachment_count,
    message.c.reply_to,
    message.c.created_at,
)
"""What is selected for a summary."""

COPIES: Final = (
    delivery.join(message, message.c.seq == delivery.c.seq)
    .join(thread, thread.c.id == message.c.thread_id)
    .join(_sender, _sender.c.id == message.c.sender_id)
    .join(_recipient, _recipient.c.id == message.c.recipient_id)
    .join(folder, folder.c.id == delivery.c.folder_id)
)
"""Where a summary is selected from; one row a copy."""


class Parties:
    """The parties of a page: each mailbox is shown once, however many messages it has there."""

    def __init__(self) -> None:
        self._by_id: dict[int, Party] = {}

    def sender(self, row: CopyRow) -> Party:
        """Who sent it."""
        return self._by_id.get(row.sender_id) or self._keep(
            row.sender_id,
            party(row.sender_address, row.sender_agent, row.sender_name, row.sender_deleted_at),
        )

    def recipient(self, row: CopyRow) -> Party:
        """Who got it."""
        return self._by_id.get(row.recipient_id) or self._keep(
            row.recipient_id,
            party(
                row.recipient_address,
                row.recipient_agent,
                row.recipient_name,
                row.recipient_deleted_at,
            ),
        )

    def _keep(self, mailbox_id: int, shown: Party) -> Party:
        self._by_id[mailbox_id] = shown
        return shown


def summary_of(row: CopyRow, parties: Parties) -> MessageSummary:
    """The copy as lists show it."""
    return MessageSummary(
        id=row.public_id,
        seq=row.seq,
        thread_id=row.thread_id,
        thread_title=row.thread_title,
        from_=parties.sender(row),
        to=parties.recipient(row),
        subject=row.subject,
        preview=row.preview,
        priority=PRIORITIES[row.priority],
        folder=row.folder,
        role="recipient" if row.role == RECIPIENT else "sender",
        announced_at=rfc3339_or_none(row.announced_at),
        read_at=rfc3339_or_none(row.read_at),
        flagged=bool(row.flagged),
        has_attachments=row.attachment_count > 0,
        reply_to=row.reply_to,
        created_at=rfc3339(row.created_at),
    )
