"""Summaries: a mailbox's copy of a message, from the columns to what a reader gets.

A page names few mailboxes and folders: they are read beside its rows, not once more with each.
"""

from collections.abc import Collection, Set
from typing import Final, NamedTuple

from sqlalchemy import Connection, Integer, bindparam, func, select, type_coerce

from messenger_core.schema import (
    RECIPIENT,
    SYSTEM_FOLDER_IDS,
    delivery,
    folder,
    mailbox,
    message,
    thread,
)
from messenger_core.times import rfc3339
from messenger_core.wire.common import PRIORITIES, Party
from messenger_core.wire.messages import MessageSummary
from messenger_server.database import Lookup
from messenger_server.store.cards import party


class CopyRow(NamedTuple):
    """The columns of `COPY`, in their order; instants in milliseconds since 1970."""

    public_id: str
    seq: int
    thread_id: str
    thread_title: str
    sender_id: int
    recipient_id: int
    subject: str
    preview: str
    priority: int
    folder_id: int
    role: int
    announced_at: int | None
    read_at: int | None
    flagged: int
    attachment_count: int
    reply_to: str | None
    created_at: int


COPY: Final = (
    message.c.public_id,
    message.c.seq,
    thread.c.public_id,
    func.coalesce(thread.c.title, thread.c.subject),
    message.c.sender_id,
    message.c.recipient_id,
    message.c.subject,
    message.c.preview,
    message.c.priority,
    delivery.c.folder_id,
    delivery.c.role,
    delivery.c.announced_at,
    delivery.c.read_at,
    type_coerce(delivery.c.flagged, Integer),
    message.c.attachment_count,
    message.c.reply_to,
    message.c.created_at,
)
"""What is selected for a summary."""

COPIES: Final = delivery.join(message, message.c.seq == delivery.c.seq).join(
    thread, thread.c.id == message.c.thread_id
)
"""Where a summary is selected from; one row a copy."""

_ASKED: Final = tuple(f"mailbox_{number}" for number in range(8))
"""How many mailboxes one question is for: most pages have fewer."""
_MAILBOXES: Final = Lookup(
    tuple,
    select(
        mailbox.c.id,
        mailbox.c.address,
        mailbox.c.agent_name,
        mailbox.c.display_name,
        mailbox.c.deleted_at,
    ).where(mailbox.c.id.in_([bindparam(name) for name in _ASKED])),
    *_ASKED,
)
_FOLDER: Final = Lookup(
    tuple, select(folder.c.id, folder.c.name).where(folder.c.id == bindparam("of")), "of"
)
_SYSTEM_FOLDERS: Final = {number: name for name, number in SYSTEM_FOLDER_IDS.items()}


class Names:
    """The names that a page shows beside its copies, as they are now."""

    def __init__(self, connection: Connection, rows: Collection[CopyRow]) -> None:
        self.parties = parties_of(
            connection, {row.sender_id for row in rows} | {row.recipient_id for row in rows}
        )
        """Who sent and who got the messages, by internal id."""
        self.folders = folders_named(connection, {row.folder_id for row in rows})
        """The names of the folders that the copies lie in, by internal id."""


def parties_of(connection: Connection, mailbox_ids: Collection[int]) -> dict[int, Party]:
    """How these mailboxes are shown beside messages, deleted ones too, by internal id."""
    wanted = sorted(mailbox_ids)
    found: dict[int, Party] = {}
    for first in range(0, len(wanted), len(_ASKED)):
        asked = wanted[first : first + len(_ASKED)]
        # What is left over asks for the last one again.
        asked += asked[-1:] * (len(_ASKED) - len(asked))
        for mailbox_id, *shown in _MAILBOXES.all(connection, *asked):
            found[mailbox_id] = party(*shown)
    return found


def folders_named(connection: Connection, folder_ids: Set[int]) -> dict[int, str]:
    """The names of these folders and of the system's, by internal id."""
    own = folder_ids - _SYSTEM_FOLDERS.keys()
    rows = (row for each in own for row in _FOLDER.all(connection, each))
    return {**_SYSTEM_FOLDERS, **dict(rows)}


def summary_of(row: CopyRow, names: Names) -> MessageSummary:
    """The copy as lists show it."""
    # Taken apart at once: by name each column would cost several times as much.
    (
        public_id,
        seq,
        thread_id,
        thread_title,
        sender_id,
        recipient_id,
        subject,
        preview,
        priority,
        folder_id,
        role,
        announced_at,
        read_at,
        flagged,
        attachment_count,
        reply_to,
        created_at,
    ) = row
    return MessageSummary(
        id=public_id,
        seq=seq,
        thread_id=thread_id,
        thread_title=thread_title,
        from_=names.parties[sender_id],
        to=names.parties[recipient_id],
        subject=subject,
        preview=preview,
        priority=PRIORITIES[priority],
        folder=names.folders[folder_id],
        role="recipient" if role == RECIPIENT else "sender",
        announced_at=None if announced_at is None else rfc3339(announced_at),
        read_at=None if read_at is None else rfc3339(read_at),
        flagged=flagged == 1,
        has_attachments=attachment_count > 0,
        reply_to=reply_to,
        created_at=rfc3339(created_at),
    )
