"""Batch: one writing transaction, and what it writes once whatever the number of its jobs.

The counters and the full-text rows are such things: rows of a full-text index cost most of a send
when each is flushed by itself, and next to nothing when all follow as the transaction's last
statement.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from messenger_core.folding import index_text
from messenger_core.schema import counter
from messenger_server.database.engines import driver_of
from messenger_server.database.prepared import Bulk, Lookup

_READ_SEQ: Final = Lookup(lambda columns: int(columns[0]), select(counter.c.seq))
_RAISE_COUNTERS: Final = Bulk(
    update(counter).values(seq=bindparam("new_seq"), change=counter.c.change + 1), "new_seq"
)
_RAISE_CHANGE: Final = Bulk(update(counter).values(change=counter.c.change + 1))

_INDEX_MESSAGES: Final = (
    "INSERT INTO message_search (rowid, mailboxes, subject, body) VALUES (?, ?, ?, ?)"
)
_INDEX_THREADS: Final = (
    "INSERT OR REPLACE INTO thread_search (rowid, mailboxes, title, description)"
    " VALUES (?, ?, ?, ?)"
)

_READDRESS_MESSAGES: Final = "UPDATE message_search SET mailboxes = ? WHERE rowid = ?"
_FORGET_MESSAGES: Final = "DELETE FROM message_search WHERE rowid = ?"
_FORGET_THREADS: Final = "DELETE FROM thread_search WHERE rowid = ?"

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
        self._readdressed: dict[int, str] = {}
        self._forgotten_messages: set[int] = set()
        self._forgotten_threads: set[int] = set()

    def take_seq(self) -> int:
        """The next number of the one series that messages and links share."""
        if self._seq is None:
            self._seq = _READ_SEQ.first(self.connection)
            assert self._seq is not None, "the first migration writes the row"
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

    def readdress_message(self, seq: int, mailbox_ids: Iterable[int]) -> None:
        """Lets these mailboxes alone find a message that was searchable before."""
        self._readdressed[seq] = mailbox_tokens(mailbox_ids)

    def forget_message(self, seq: int) -> None:
        """Takes a message that is gone out of the search; no batch makes one and destroys it."""
        self._readdressed.pop(seq, None)
        self._forgotten_messages.add(seq)

    def forget_thread(self, thread_id: int) -> None:
        """Takes a thread that is gone out of the search."""
        self._threads.pop(thread_id, None)
        self._forgotten_threads.add(thread_id)

    @property
    def footprint(self) -> int:
        """A number that rises with each row written or waiting to be; never with a mere read."""
        return (
            self._driver.total_changes
            - self._changes_before
            + sum(
                map(
                    len,
                    (
                        self._messages,
                        self._threads,
                        self._readdressed,
                        self._forgotten_messages,
                        self._forgotten_threads,
                    ),
                )
            )
        )

    def finish(self) -> None:
        """Writes the counters, then the full-text rows: the transaction's last statements."""
        if self.footprint == 0 and self._seq is None:
            return
        if self._seq is None:
            _RAISE_CHANGE.write(self.connection, [()])
        else:
            _RAISE_COUNTERS.write(self.connection, [(self._seq,)])
        # Each index is changed upwards: going back to a smaller row would flush what waits there.
        self._write(
            _FORGET_THREADS, [(thread_id,) for thread_id in sorted(self._forgotten_threads)]
        )
        self._write(_INDEX_THREADS, list(self._threads.values()))
        self._write(
            _READDRESS_MESSAGES,
            [(tokens, seq) for seq, tokens in sorted(self._readdressed.items())],
        )
        self._write(_FORGET_MESSAGES, [(seq,) for seq in sorted(self._forgotten_messages)])
        self._write(_INDEX_MESSAGES, self._messages)

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        if rows:
            self._driver.executemany(statement, rows)


def mailbox_tokens(mailbox_ids: Iterable[int]) -> str:
    """The words of a full-text row that say which mailboxes find it: `m12 m45`."""
    return " ".join(f"m{mailbox_id}" for mailbox_id in mailbox_ids)
