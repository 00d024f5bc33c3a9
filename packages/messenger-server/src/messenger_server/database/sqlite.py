"""Database: the server's door to its SQLite file, and the one that commands use beside it.

Pages are read on the loop's own thread, over one connection that is held: handing them to another
thread would cost several times the read. Slow reads have a pool of two threads.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection

from messenger_core import times
from messenger_core.errors import MessengerError
from messenger_core.migrate import HEAD_REVISION
from messenger_server.database.batch import Batch
from messenger_server.database.engines import driver_of, reading_engine, writing_engine
from messenger_server.database.opening import prepare
from messenger_server.database.prepared import Lookup
from messenger_server.database.transactions import transaction
from messenger_server.database.writer import Job, Writer

_SLOW_THREADS: Final = 2
_QUEUE_LIMIT: Final = 2000
"""Jobs that may wait; at some thousand a second, a second of work."""

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item")


class Database:
    """An open database; one for each server process.

    Write functions get a `Batch`, read functions a connection. They are synchronous, raise the
    refusals of `messenger_core.errors`, and raise those before their first write.
    """

    kind: Final = "sqlite"
    revision: Final = HEAD_REVISION

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        queue_limit: int = _QUEUE_LIMIT,
        clock: Callable[[], int] = times.now_ms,
    ) -> "Database":
        """Opens the file, or makes it; `clock` gives milliseconds since 1970.

        Raises:
            DatabaseRefused: the file is not ours, or of another version.
        """
        prepare(path)
        return cls(path, queue_limit=queue_limit, clock=clock)

    def __init__(self, path: Path, *, queue_limit: int, clock: Callable[[], int]) -> None:
        self._readers = reading_engine(path)
        self._held = self._readers.connect()
        self._driver = driver_of(self._held)
        self._has_snapshot = False
        self._pool = ThreadPoolExecutor(_SLOW_THREADS, thread_name_prefix="messenger-reader")
        self._local = threading.local()
        self._pooled: list[Connection] = []
        self._writer = Writer(writing_engine(path).connect(), path, clock, queue_limit)

    async def read(
        self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What `fn(connection, …)` gives: a page, read at once on this thread."""
        return fn(self._snapshot(), *args, **kwargs)

    async def search(
        self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What `fn(connection, …)` gives, read in the pool: a search, a long body."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._pool, lambda: _read_in_snapshot(self._own_connection(), fn, *args, **kwargs)
        )

    async def write(
        self, fn: Callable[..., T], *args: Any, alone: bool = False
    ) -> T:  # Any: ParamSpec allows no keyword of our own
        """What `fn(batch, …)` gives, once it is durable.

        `alone` makes it a transaction of its own: for large jobs.

        Raises:
            Busy: the database is closing, another program holds it, or the disk is full.
            MessengerError: the function's own refusal; nothing was written.
        """
        future = asyncio.get_running_loop().create_future()
        self._writer.submit(Job(fn, args, future, alone=alone))
        result: T = await future
        return result

    async def write_grouped(
        self, fn: Callable[[Batch, Sequence[Item]], Sequence[T | MessengerError]], item: Item
    ) -> T:
        """What `fn(batch, [item, …])` gives for this item; it gets all that wait in one call.

        Raises:
            Busy: the database is closing, another program holds it, or the disk is full.
            MessengerError: the item's own refusal; nothing was written for it.
        """
        future = asyncio.get_running_loop().create_future()
        self._writer.submit(Job(fn, (item,), future, grouped=True))
        result: T = await future
        return result

    async def lookup(self, question: Lookup[T], *values: object) -> T | None:
        """The first row of a prepared question, asked on the held connection."""
        return question.first(self._snapshot(), *values)

    def is_full(self) -> bool:
        """Whether so many jobs wait that a new request should be told to come back."""
        return self._writer.is_full()

    async def close(self) -> None:
        """Finishes what is queued and closes every connection; calling it twice is harmless."""
        self._writer.stop()  # here, where jobs are submitted: none slips in behind the last
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._pool.shutdown)
        for connection in (self._held, *self._pooled):
            connection.close()

    def _snapshot(self) -> Connection:
        """The held connection, on one state of the database until this turn of the loop ends.

        All reads of a turn share the two locks that each would take. None is late: what reached
        the server after the state was taken is worked in a later turn, and so is whoever waited
        for a commit.
        """
        if not self._has_snapshot:
            self._driver.execute("BEGIN")
            self._has_snapshot = True
            asyncio.get_running_loop().call_soon(self._end_snapshot)
        return self._held

    def _end_snapshot(self) -> None:
        self._has_snapshot = False
        self._driver.rollback()

    def _own_connection(self) -> Connection:
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._readers.connect()
            self._pooled.append(connection)
        return connection


@contextmanager
def open_for_command(path: Path, *, clock: Callable[[], int] = times.now_ms) -> Iterator[Batch]:
    """One writing transaction for a command line tool, beside a running server or without one.

    Raises:
        DatabaseRefused: the file is not ours, or of another version.
        NotBegun: the database stayed locked for ten seconds.
        NotCommitted: the commit failed.
    """
    prepare(path)
    engine = writing_engine(path)
    try:
        with engine.connect() as connection, transaction(connection, clock()) as batch:
            yield batch
    finally:
        engine.dispose()


def _read_in_snapshot(
    connection: Connection,
    fn: Callable[Concatenate[Connection, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Runs all statements of a read on one state of the database.

    The driver's own BEGIN and COMMIT cost less than the lock that each statement would take alone.
    """
    driver = driver_of(connection)
    driver.execute("BEGIN")
    try:
        return fn(connection, *args, **kwargs)
    finally:
        driver.rollback()
