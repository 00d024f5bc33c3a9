"""Databases that the benchmark measures on: empty ones with mailboxes, grown ones with mail.

Rows go straight into the schema, with every counter that the server would have kept, because
sending a million messages would take the benchmark an hour.
"""

import contextlib
import random
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Table, create_engine
from sqlalchemy.engine import URL

from messenger_core import ids
from messenger_core.folding import fold
from messenger_core.migrate import configure_sqlite, upgrade
from messenger_core.schema import (
    APPLICATION_ID,
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
from tools.bench.texts import Writer

MEASURED_MAILBOX_ID: Final = 1
"""Of a grown base: the mailbox that a tenth of all messages belong to."""

_OPEN_THREADS: Final = 50
"""That are talking at the same time."""
_BODIES: Final = 5000
_BODY_CHARS: Final = 240
_READ_SHARE: Final = 0.8
_START_MS: Final = 1_700_000_000_000
_BATCH: Final = 20_000

_MESSAGE_SEARCH: Final = (
    "INSERT INTO message_search (rowid, mailboxes, subject, body) VALUES (?, ?, ?, ?)"
)
_COUNT: Final = (
    "UPDATE mailbox SET last_activity_at = created_at,"
    " thread_count = (SELECT count(*) FROM thread_member WHERE mailbox_id = mailbox.id),"
    " sent_count = (SELECT count(*) FROM delivery WHERE mailbox_id = mailbox.id AND role = 0),"
    " received_count = (SELECT count(*) FROM delivery WHERE mailbox_id = mailbox.id AND role = 1)"
)
_THREAD_SEARCH: Final = (
    "INSERT INTO thread_search (rowid, mailboxes, title, description) VALUES (?, ?, ?, '')"
)


class Shape(NamedTuple):
    """How the mail of a grown base lies."""

    mailboxes: int = 101
    mailboxes_per_agent: int = 101
    messages_per_thread: int = 10


def create(path: Path) -> None:
    """Creates a database at the newest revision, in WAL mode, without any row of ours."""
    engine = create_engine(URL.create("sqlite", database=str(path)))
    configure_sqlite(engine)
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()
    with contextlib.closing(sqlite3.connect(path)) as bare:
        bare.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        bare.execute("PRAGMA journal_mode = WAL")


def add_mailboxes(path: Path, prefix: str, count: int) -> list[str]:
    """Adds registered mailboxes to a database; their addresses, in the order of their ids."""
    addresses = [f"{prefix}-{number}" for number in range(count)]
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    rows = [_mailbox_row(None, address, "bench") for address in addresses]
    _insert(connection, mailbox, rows)
    connection.execute("COMMIT")
    connection.close()
    return addresses


def grow(path: Path, messages: int, shape: Shape | None = None) -> None:
    """Creates a database that holds this many messages.

    A tenth of them are in `MEASURED_MAILBOX_ID`, half of those in its inbox.
    """
    shape = shape or Shape()
    create(path)
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = MEMORY", "synchronous = OFF", "cache_size = -400000"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("BEGIN")
    _insert(connection, mailbox, [_grown_mailbox(each, shape) for each in range(shape.mailboxes)])
    base = _GrownBase(messages, shape)
    for first in range(1, messages + 1, _BATCH):
        base.write_messages(connection, range(first, min(first + _BATCH, messages + 1)))
    base.write_threads(connection)
    connection.execute("UPDATE counter SET seq = ?, change = ?", (messages, messages))
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


class _GrownBase:
    """The mail of a grown base, with the counts that its rows add up to."""

    def __init__(self, messages: int, shape: Shape) -> None:
        self._random = random.Random(messages)  # noqa: S311 - a load, not a secret
        writer = Writer()
        self._texts = [(writer.subject(), writer.body(_BODY_CHARS)) for _ in range(_BODIES)]
        self._shape = shape
        self._threads = max(1, messages // shape.messages_per_thread)
        self._subject_by_thread: dict[int, tuple[str, int]] = {}
        self._folders: dict[tuple[int, int], list[int]] = {}
        self._members: dict[tuple[int, int], list[int]] = {}

    def write_messages(self, connection: sqlite3.Connection, seqs: Iterable[int]) -> None:
        """Writes messages with their copies and search rows."""
        messages, deliveries, searches = [], [], []
        for seq in seqs:
            thread_id = self._thread_of(seq)
            sender, recipient = self._random.sample(self._sides(thread_id), 2)
            subject, body = self._random.choice(self._texts)
            self._subject_by_thread.setdefault(thread_id, (subject, _at(seq)))
            read_at = _at(seq) + 1 if self._random.random() < _READ_SHARE else None
            messages.append(_message_row(seq, thread_id, sender, recipient, subject, body))
            deliveries.append(_delivery_row(sender, seq, SENT, SENDER, _at(seq)))
            deliveries.append(_delivery_row(recipient, seq, INBOX, RECIPIENT, read_at))
            searches.append((seq, f"m{sender} m{recipient}", fold(subject), fold(body)))
            self._count(sender, thread_id, SENT, seq, unread=0)
            self._count(recipient, thread_id, INBOX, seq, unread=int(read_at is None))
        _insert(connection, message, messages)
        _insert(connection, delivery, deliveries)
        connection.executemany(_MESSAGE_SEARCH, searches)

    def write_threads(self, connection: sqlite3.Connection) -> None:
        """Writes the threads that got messages, and all counts."""
        titles = self._subject_by_thread
        rows = [_thread_row(each, self._sides(each), *titles[each]) for each in titles]
        _insert(connection, thread, rows)
        connection.executemany(
            _THREAD_SEARCH,
            [
                (each, " ".join(f"m{side}" for side in self._sides(each)), fold(subject))
                for each, (subject, _) in titles.items()
            ],
        )
        members = [(*key, *counts, 1) for key, counts in self._members.items()]
        _insert(connection, thread_member, members)
        connection.execute(_COUNT)
        _insert(connection, folder_count, [(*key, *each) for key, each in self._folders.items()])

    def _thread_of(self, seq: int) -> int:
        near = seq // self._shape.messages_per_thread + self._random.randrange(_OPEN_THREADS)
        return 1 + near % self._threads

    def _sides(self, thread_id: int) -> list[int]:
        """The two mailboxes of a thread: one thread of ten is the measured mailbox's."""
        others = self._shape.mailboxes - 1
        other = 2 + thread_id % others
        if thread_id % 10 == 0:
            return [MEASURED_MAILBOX_ID, other]
        return [other, 2 + (thread_id + 7) % others]

    def _count(self, owner: int, thread_id: int, folder_id: int, seq: int, *, unread: int) -> None:
        in_folder = self._folders.setdefault((owner, folder_id), [0, 0])
        in_folder[0] += 1
        in_folder[1] += unread
        in_thread = self._members.setdefault((owner, thread_id), [0, 0, 0])
        in_thread[0] += 1
        in_thread[1] += unread
        in_thread[2] = max(in_thread[2], seq)


def _insert(
    connection: sqlite3.Connection, table: Table, rows: Sequence[tuple[object, ...]]
) -> None:
    """Inserts rows whose values stand in the order of the table's columns."""
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    marks = ", ".join("?" for _ in table.columns)
    # The names are the schema's own.
    connection.executemany(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)  # noqa: S608


def _at(seq: int) -> int:
    return _START_MS + seq * 1000


def _grown_mailbox(number: int, shape: Shape) -> tuple[object, ...]:
    row_id = number + 1
    agent = f"agent {number // shape.mailboxes_per_agent}"
    return _mailbox_row(row_id, f"grown-{row_id}", agent)


def _mailbox_row(row_id: int | None, address: str, agent_name: str) -> tuple[object, ...]:
    return _row(
        mailbox,
        id=row_id,
        address=address,
        agent_name=agent_name,
        agent_bound=False,
        display_name=f"bench {address}",
        created_at=_START_MS,
        last_seen_at=_START_MS,
        thread_count=0,
        sent_count=0,
        received_count=0,
    )


def _message_row(
    seq: int, thread_id: int, sender: int, recipient: int, subject: str, body: str
) -> tuple[object, ...]:
    return _row(
        message,
        seq=seq,
        public_id=ids.new_message_id(),
        thread_id=thread_id,
        sender_id=sender,
        recipient_id=recipient,
        subject=subject,
        preview=body[:200],
        priority=1,
        type="message",
        attachment_count=0,
        created_at=_at(seq),
        hops=0,
        body=body,
    )


def _delivery_row(
    owner: int, seq: int, folder_id: int, role: int, read_at: int | None
) -> tuple[object, ...]:
    return _row(
        delivery,
        mailbox_id=owner,
        seq=seq,
        folder_id=folder_id,
        role=role,
        read_at=read_at,
        flagged=False,
    )


def _thread_row(
    thread_id: int, sides: Sequence[int], subject: str, created_at: int
) -> tuple[object, ...]:
    opener, other = sides
    return _row(
        thread,
        id=thread_id,
        public_id=ids.new_thread_id(),
        slug="n2n",
        subject=subject,
        opener_id=opener,
        other_id=other,
        created_at=created_at,
    )


def _row(table: Table, **values: object) -> tuple[object, ...]:
    """The values in the order of the table's columns; what is not named is NULL."""
    return tuple(values.get(column.name) for column in table.columns)
