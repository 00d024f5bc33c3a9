"""Ledger: what the accepted messages of a batch add to each table, written with one statement each.

Counters are summed up first: a mailbox that gets fifty messages in one batch is counted once.
"""

from collections import defaultdict
from typing import Final, NamedTuple

from sqlalchemy import bindparam, case, insert, update
from sqlalchemy.dialects.sqlite import insert as upsert

from messenger_core.blank import unless_blank
from messenger_core.schema import (
    INBOX,
    RECIPIENT,
    SENDER,
    SENT,
    delivery,
    mailbox,
    message,
    thread,
    thread_member,
)
from messenger_core.wire.common import PRIORITIES
from messenger_core.wire.messages import SendMessage
from messenger_server.database import Batch, Bulk
from messenger_server.store.attachments import NewAttachment, write_attachments
from messenger_server.store.tally import ADD_TO_FOLDERS


class LedgerThread(NamedTuple):
    """The thread that a message stays in or opens."""

    id: int
    public_id: str
    subject: str
    title: str | None
    """As it is after the message."""
    description: str | None
    opener_id: int
    other_id: int


class Letter(NamedTuple):
    """An accepted message with all that is known of it."""

    seq: int
    public_id: str
    sender_id: int
    recipient_id: int
    subject: str
    preview: str
    draft: SendMessage
    attachments: tuple[NewAttachment, ...]
    thread: LedgerThread
    opens_thread: bool
    reaches_anew: bool
    """The recipient has no copy of the thread so far."""


_NEW_THREADS: Final = Bulk(
    insert(thread),
    "id",
    "public_id",
    "subject",
    "title",
    "named_by_id",
    "opener_id",
    "other_id",
    "created_at",
)
_NAME_THREADS: Final = Bulk(
    update(thread)
    .where(thread.c.id == bindparam("of"))
    .values(title=bindparam("new_title"), named_by_id=bindparam("by")),
    "of",
    "new_title",
    "by",
)
_NEW_MESSAGES: Final = Bulk(
    insert(message),
    "seq",
    "public_id",
    "thread_id",
    "sender_id",
    "recipient_id",
    "subject",
    "preview",
    "priority",
    "type",
    "correlation_id",
    "reply_to",
    "attachment_count",
    "created_at",
    "body",
)
_NEW_DELIVERIES: Final = Bulk(
    insert(delivery), "mailbox_id", "seq", "folder_id", "role", "read_at", "flagged"
)
_member = upsert(thread_member)
_ADD_TO_MEMBERS: Final = Bulk(
    _member.on_conflict_do_update(
        index_elements=[thread_member.c.mailbox_id, thread_member.c.thread_id],
        set_={
            "message_count": thread_member.c.message_count + _member.excluded.message_count,
            "unread_count": thread_member.c.unread_count + _member.excluded.unread_count,
            "last_seq": _member.excluded.last_seq,
            "priority": case(
                (_member.excluded.priority > thread_member.c.priority, _member.excluded.priority),
                else_=thread_member.c.priority,
            ),
        },
    ),
    "mailbox_id",
    "thread_id",
    "message_count",
    "unread_count",
    "last_seq",
    "priority",
)
_ACTIVE: Final = Bulk(
    update(mailbox)
    .where(mailbox.c.id == bindparam("of"))
    .values(
        last_activity_at=bindparam("now_ms"),
        thread_count=mailbox.c.thread_count + bindparam("new_threads"),
        sent_count=mailbox.c.sent_count + bindparam("sent"),
        received_count=mailbox.c.received_count + bindparam("received"),
    ),
    "now_ms",
    "new_threads",
    "sent",
    "received",
    "of",
)


class _Membership:
    """What the batch adds to a thread as one of its mailboxes sees it."""

    __slots__ = ("last_seq", "message_count", "priority", "unread_count")

    def __init__(self) -> None:
        self.message_count = 0
        self.unread_count = 0
        self.last_seq = 0
        self.priority = 0


class Ledger:
    """The rows that a batch of messages adds."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms
        self._letters: list[Letter] = []
        self._members: defaultdict[tuple[int, int], _Membership] = defaultdict(_Membership)
        """By mailbox and thread."""
        self._sent: defaultdict[int, int] = defaultdict(int)
        self._received: defaultdict[int, int] = defaultdict(int)
        """Messages by mailbox."""
        self._new_threads: defaultdict[int, int] = defaultdict(int)
        """By mailbox, how many threads it did not have; 0 for one that is active only."""

    def add(self, letter: Letter) -> None:
        """Takes a message in."""
        self._letters.append(letter)
        self._sent[letter.sender_id] += 1
        self._received[letter.recipient_id] += 1
        self._new_threads[letter.sender_id] += letter.opens_thread
        self._new_threads[letter.recipient_id] += letter.opens_thread or letter.reaches_anew
        self._count_in_thread(letter, letter.sender_id)
        self._count_in_thread(letter, letter.recipient_id).unread_count += 1

    def write(self, batch: Batch) -> None:
        """Writes everything, each table once; the full-text rows wait for the batch's end."""
        connection, letters, now_ms = batch.connection, self._letters, self._now_ms
        _NEW_THREADS.write(
            connection, [_thread_row(one, now_ms) for one in letters if one.opens_thread]
        )
        _NEW_MESSAGES.write(connection, [_message_row(one, now_ms) for one in letters])
        _NEW_DELIVERIES.write(connection, [row for one in letters for row in _copies(one, now_ms)])
        _ADD_TO_MEMBERS.write(connection, self._member_rows())
        ADD_TO_FOLDERS.write(connection, self._folder_rows())
        _ACTIVE.write(connection, self._mailbox_rows())
        _NAME_THREADS.write(
            connection,
            [
                (one.thread.id, one.thread.title, one.sender_id)
                for one in letters
                if unless_blank(one.draft.thread_name) and not one.opens_thread
            ],
        )
        for letter in letters:
            write_attachments(batch, letter.seq, letter.attachments)
            _index(batch, letter)

    def _count_in_thread(self, letter: Letter, mailbox_id: int) -> _Membership:
        member = self._members[mailbox_id, letter.thread.id]
        member.message_count += 1
        member.last_seq = letter.seq
        member.priority = max(member.priority, PRIORITIES.index(letter.draft.priority))
        return member

    def _member_rows(self) -> list[tuple[object, ...]]:
        return [
            (
                mailbox_id,
                thread_id,
                member.message_count,
                member.unread_count,
                member.last_seq,
                member.priority,
            )
            for (mailbox_id, thread_id), member in self._members.items()
        ]

    def _mailbox_rows(self) -> list[tuple[object, ...]]:
        sent, received = self._sent, self._received
        return [
            (self._now_ms, new_threads, sent.get(of, 0), received.get(of, 0), of)
            for of, new_threads in self._new_threads.items()
        ]

    def _folder_rows(self) -> list[tuple[object, ...]]:
        sent = [(of, SENT, count, 0) for of, count in self._sent.items()]
        received = [(of, INBOX, count, count) for of, count in self._received.items()]
        return [*sent, *received]


def _thread_row(letter: Letter, now_ms: int) -> tuple[object, ...]:
    opened = letter.thread
    named_by = None if opened.title is None else opened.opener_id
    return (
        opened.id,
        opened.public_id,
        opened.subject,
        opened.title,
        named_by,
        opened.opener_id,
        opened.other_id,
        now_ms,
    )


def _message_row(letter: Letter, now_ms: int) -> tuple[object, ...]:
    draft = letter.draft
    return (
        letter.seq,
        letter.public_id,
        letter.thread.id,
        letter.sender_id,
        letter.recipient_id,
        letter.subject,
        letter.preview,
        PRIORITIES.index(draft.priority),
        draft.type,
        draft.correlation_id,
        draft.reply_to,
        len(letter.attachments),
        now_ms,
        draft.body,
    )


def _copies(letter: Letter, now_ms: int) -> tuple[tuple[object, ...], ...]:
    """The sender's copy, born read, and the recipient's."""
    return (
        (letter.sender_id, letter.seq, SENT, SENDER, now_ms, False),
        (letter.recipient_id, letter.seq, INBOX, RECIPIENT, None, False),
    )


def _index(batch: Batch, letter: Letter) -> None:
    """Makes the message searchable, and its thread where it needs a row of its own.

    An unnamed thread needs one once a subject no longer carries its title: until then whoever looks
    for the title finds every message of it by the subject.
    """
    within = letter.thread
    batch.index_message(
        letter.seq, (letter.sender_id, letter.recipient_id), letter.subject, letter.draft.body
    )
    is_named_now = unless_blank(letter.draft.thread_name) is not None
    if is_named_now or (within.title is None and not _carries(letter.subject, within.subject)):
        title = within.title or within.subject
        batch.index_thread(
            within.id, (within.opener_id, within.other_id), title, within.description
        )


def _carries(subject: str, title: str) -> bool:
    return subject == title or subject.endswith(" " + title)
