"""Batch: one writing transaction, and what it writes once whatever the number of its jobs.

The counters and the full-text rows are such things: rows of a full-text index cost most of a send
when each is flushed by itself, and next to nothing when all follow as the transaction's last
statement.
"""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from messenger_core.folding import index_text
from messenger_core.schema import counter
from messenger_server.database.engines import driver_of

_READ_SEQ: Final = select(counter.c.seq)
_RAISE_COUNTERS: Final = update(counter).values(
    seq=bindparam("new_seq"), change=counter.c.change + 1
)
_RAISE_CHANGE: Final = update(counter).values(change=counter.c.change + 1)

_INDEX_MESSAGES: Final = (
    "INSERT INTO message_search (rowid, mailboxes, subject, body) VALUES (?, ?, ?, ?)"
)
_INDEX_THREADS: Final = (
    "INSERT OR REPLACE INTO thread_search (rowid, mailboxes, title, description)"
    " VALUES (?, ?, ?, ?)"
)

_SearchRow = tuple[int, str, str, str]


class Batch:
    """One writing transaction: what a write function gets."""

    def __init__(self, connection: Connection, now_ms: int) -> None:
        self.connection = connection
        self.now_ms = now_ms
        """One instant for the whole transaction."""
        self._driver = driver_of(connection)
        self._changes_before = self._driver.total_changes
        self._seq: int | None = None
        self._messages: list[_SearchRow] = []
        self._threads: dict[int, _SearchRow] = {}

    def take_seq(self) -> int:
        """The next number of the one series that messages and links share."""
        if self._seq is None:
            self._seq = self.connection.execute(_READ_SEQ).scalar_one()
        self._seq += 1
        return self._seq

    def index_message(self, seq: int, mailbox_ids: Iterable[int], subject: str, body: str) -> None:
        """Makes a new message searchable for these mailboxes; its texts come as written."""
        texts = index_text(subject), index_text(body)
        self._messages.append((seq, mailbox_tokens(mailbox_ids), *texts))

    def index_thread(
        self, thread_id: int, mailbox_ids: Iterable[int], title: str, description: str | None
    ) -> None:
        """Makes a thread searchable by these names, and by no earlier ones."""
        names = index_text(title), index_text(description or "")
        self._threads[thread_id] = (thread_id, mailbox_tokens(mailbox_ids), *names)

    @property
    def footprint(self) -> int:
        """A number that rises with each row written or waiting to be; never with a mere read."""
        waiting = len(self._messages) + len(self._threads)
        return self._driver.total_changes - self._changes_before + waiting

    def finish(self) -> None:
        """Writes the counters, then the full-text rows: the transaction's last statements."""
        if self.footprint == 0 and self._seq is None:
            return
        if self._seq is None:
            self.connection.execute(_RAISE_CHANGE)
        else:
            self.connection.execute(_RAISE_COUNTERS, {"new_seq": self._seq})
        if self._threads:
            self.connection.exec_driver_sql(_INDEX_THREADS, list(self._threads.values()))
        if self._messages:
            self.connection.exec_driver_sql(_INDEX_MESSAGES, self._messages)


def mailbox_tokens(mailbox_ids: Iterable[int]) -> str:
    """The words of a full-text row that say which mailboxes find it: `m12 m45`."""
    return " ".join(f"m{mailbox_id}" for mailbox_id in mailbox_ids)
