"""Ledger: what the accepted messages of a batch add to each table, written with one statement each.

Counters are summed up first: a mailbox that gets fifty messages in one batch is counted once.
"""

from collections import defaultdict
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, case, insert, update
from sqlalchemy.dialects.sqlite import insert as upsert

from messenger_core.schema import (
    INBOX,
    RECIPIENT,
    SENDER,
    SENT,
    delivery,
    folder_count,
    mailbox,
    message,
    thread,
    thread_member,
)
from messenger_core.wire.common import PRIORITIES
from messenger_core.wire.messages import SendMessage
from messenger_server.database import Batch

_Row = dict[str, Any]  # Any: the values of a row have a type each


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
    thread: LedgerThread
    opens_thread: bool
    reaches_anew: bool
    """The recipient has no copy of the thread so far."""


_NEW_THREADS: Final = insert(thread)
_NEW_MESSAGES: Final = insert(message)
_NEW_DELIVERIES: Final = insert(delivery)
_NAME_THREADS: Final = (
    update(thread)
    .where(thread.c.id == bindparam("of"))
    .values(title=bindparam("new_title"), named_by_id=bindparam("by"))
)
_member = upsert(thread_member)
_ADD_TO_MEMBERS: Final = _member.on_conflict_do_update(
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
)
_count = upsert(folder_count)
_ADD_TO_FOLDERS: Final = _count.on_conflict_do_update(
    index_elements=[folder_count.c.mailbox_id, folder_count.c.folder_id],
    set_={
        "total": folder_count.c.total + _count.excluded.total,
        "unread": folder_count.c.unread + _count.excluded.unread,
    },
)
_ACTIVE: Final = (
    update(mailbox)
    .where(mailbox.c.id == bindparam("of"))
    .values(
        last_activity_at=bindparam("now_ms"),
        thread_count=mailbox.c.thread_count + bindparam("new_threads"),
    )
)


class Ledger:
    """The rows that a batch of messages adds."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms
        self._letters: list[Letter] = []
        self._named: list[_Row] = []
        self._members: dict[tuple[int, int], _Row] = {}
        self._received: defaultdict[int, int] = defaultdict(int)
        self._sent: defaultdict[int, int] = defaultdict(int)
        self._new_threads: defaultdict[int, int] = defaultdict(int)
        """By mailbox: how many threads it did not have; 0 for one that is only active."""

    def add(self, letter: Letter) -> None:
        """Takes a message in."""
        self._letters.append(letter)
        self._sent[letter.sender_id] += 1
        self._received[letter.recipient_id] += 1
        self._count_in_thread(letter, letter.sender_id, unread=0)
        self._count_in_thread(letter, letter.recipient_id, unread=1)
        self._new_threads[letter.sender_id] += letter.opens_thread
        self._new_threads[letter.recipient_id] += letter.opens_thread or letter.reaches_anew
        if letter.draft.thread_name and not letter.opens_thread:
            self._named.append(
                {"of": letter.thread.id, "new_title": letter.thread.title, "by": letter.sender_id}
            )

    def write(self, batch: Batch) -> None:
        """Writes everything, each table once; the full-text rows wait for the batch's end."""
        if not self._letters:
            return
        execute = batch.connection.execute
        opened = [letter for letter in self._letters if letter.opens_thread]
        if opened:
            execute(_NEW_THREADS, [self._thread_row(letter) for letter in opened])
        execute(_NEW_MESSAGES, [self._message_row(letter) for letter in self._letters])
        execute(_NEW_DELIVERIES, [row for letter in self._letters for row in self._copies(letter)])
        execute(_ADD_TO_MEMBERS, list(self._members.values()))
        execute(_ADD_TO_FOLDERS, self._folder_rows())
        execute(_ACTIVE, self._mailbox_rows())
        if self._named:
            execute(_NAME_THREADS, self._named)
        for letter in self._letters:
            _index(batch, letter)

    def _count_in_thread(self, letter: Letter, mailbox_id: int, *, unread: int) -> None:
        priority = PRIORITIES.index(letter.draft.priority)
        row = self._members.get((mailbox_id, letter.thread.id))
        if row is None:
            self._members[mailbox_id, letter.thread.id] = {
                "mailbox_id": mailbox_id,
                "thread_id": letter.thread.id,
                "message_count": 1,
                "unread_count": unread,
                "last_seq": letter.seq,
                "priority": priority,
            }
            return
        row["message_count"] += 1
        row["unread_count"] += unread
        row["last_seq"] = letter.seq
        row["priority"] = max(row["priority"], priority)

    def _thread_row(self, letter: Letter) -> _Row:
        opened = letter.thread
        return {
            "id": opened.id,
            "public_id": opened.public_id,
            "subject": opened.subject,
            "title": opened.title,
            "named_by_id": None if opened.title is None else opened.opener_id,
            "opener_id": opened.opener_id,
            "other_id": opened.other_id,
            "created_at": self._now_ms,
        }

    def _message_row(self, letter: Letter) -> _Row:
        draft = letter.draft
        return {
            "seq": letter.seq,
            "public_id": letter.public_id,
            "thread_id": letter.thread.id,
            "sender_id": letter.sender_id,
            "recipient_id": letter.recipient_id,
            "subject": letter.subject,
            "preview": letter.preview,
            "priority": PRIORITIES.index(draft.priority),
            "type": draft.type,
            "correlation_id": draft.correlation_id,
            "reply_to": draft.reply_to,
            "attachment_count": 0,
            "created_at": self._now_ms,
            "body": draft.body,
        }

    def _copies(self, letter: Letter) -> tuple[_Row, _Row]:
        """The sender's copy, born read, and the recipient's."""
        seq, now_ms = letter.seq, self._now_ms
        return (
            {
                "mailbox_id": letter.sender_id,
                "seq": seq,
                "folder_id": SENT,
                "role": SENDER,
                "read_at": now_ms,
                "flagged": False,
            },
            {
                "mailbox_id": letter.recipient_id,
                "seq": seq,
                "folder_id": INBOX,
                "role": RECIPIENT,
                "read_at": None,
                "flagged": False,
            },
        )

    def _folder_rows(self) -> list[_Row]:
        sent = [
            {"mailbox_id": mailbox_id, "folder_id": SENT, "total": count, "unread": 0}
            for mailbox_id, count in self._sent.items()
        ]
        received = [
            {"mailbox_id": mailbox_id, "folder_id": INBOX, "total": count, "unread": count}
            for mailbox_id, count in self._received.items()
        ]
        return sent + received

    def _mailbox_rows(self) -> list[_Row]:
        return [
            {"of": mailbox_id, "now_ms": self._now_ms, "new_threads": count}
            for mailbox_id, count in self._new_threads.items()
        ]


def _index(batch: Batch, letter: Letter) -> None:
    """Makes the message searchable, and its thread where it needs a row of its own.

    An unnamed thread needs one once a subject no longer carries its title: until then whoever looks
    for the title finds every message of it by the subject.
    """
    within = letter.thread
    batch.index_message(
        letter.seq, (letter.sender_id, letter.recipient_id), letter.subject, letter.draft.body
    )
    is_named_now = bool(letter.draft.thread_name)
    if is_named_now or (within.title is None and not _carries(letter.subject, within.subject)):
        title = within.title or within.subject
        batch.index_thread(
            within.id, (within.opener_id, within.other_id), title, within.description
        )


def _carries(subject: str, title: str) -> bool:
    return subject == title or subject.endswith(" " + title)
