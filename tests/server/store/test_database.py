"""The database: writes in groups, each job with its own fate, durable before it is answered."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select, text
from sqlalchemy.exc import OperationalError

from messenger_core.errors import Busy, KeyNotFound, MessengerError
from messenger_core.schema import audit, counter, folder
from messenger_server.database import Batch, Database
from messenger_server.database.transactions import NotCommitted
from support.server_process import wait_until

_NOW_MS = 1_790_000_000_000


@pytest.fixture
async def database(base_path: Path) -> AsyncIterator[Database]:
    database = Database.open(base_path, queue_limit=10, clock=lambda: _NOW_MS)
    yield database
    await database.close()


class _Gate:
    """A job that holds the writer until it is let go, so that others gather behind it."""

    def __init__(self) -> None:
        self._reached = threading.Event()
        self._open = threading.Event()

    def __call__(self, _batch: Batch) -> None:
        self._reached.set()
        assert self._open.wait(5)

    async def reached(self) -> None:
        """Returns when the writer is held."""
        assert await asyncio.to_thread(self._reached.wait, 5)

    async def open(self) -> None:
        """Lets the writer go on."""
        self._open.set()


async def _together(database: Database, *jobs: Coroutine[Any, Any, object]) -> list[object]:
    """What comes of jobs that all wait before the writer takes the first: value or exception."""
    gate = _Gate()
    held = asyncio.create_task(database.write(gate))
    await gate.reached()
    # Each starts in this order, so the gate opens when all are queued.
    outcomes = await asyncio.gather(*jobs, gate.open(), return_exceptions=True)
    await held
    return outcomes[:-1]


def _note(batch: Batch, action: str) -> str:
    batch.connection.execute(insert(audit), {"at": batch.now_ms, "action": action})
    return action


def _notes(connection: Connection) -> list[str]:
    return list(connection.execute(select(audit.c.action).order_by(audit.c.id)).scalars())


def _changes(connection: Connection) -> int:
    return connection.execute(select(counter.c.change)).scalar_one()


def _seq(connection: Connection) -> int:
    return connection.execute(select(counter.c.seq)).scalar_one()


def _refuse(_batch: Batch) -> None:
    raise KeyNotFound("no")


def _refuse_after_writing(batch: Batch) -> None:
    _note(batch, "half written")
    raise KeyNotFound("too late")


def _break(batch: Batch) -> None:
    _note(batch, "half written")
    raise ZeroDivisionError


def _break_in_sql(batch: Batch) -> None:
    _note(batch, "half written")
    batch.connection.execute(text("INSERT INTO nowhere VALUES (1)"))


def _break_the_commit(batch: Batch) -> None:
    """Leaves a row whose mailbox does not exist, to be found out by the commit alone."""
    batch.connection.execute(text("PRAGMA defer_foreign_keys = ON"))
    _note(batch, "never there")
    batch.connection.execute(insert(folder), {"mailbox_id": 999, "name": "x", "name_folded": "x"})


class TestWriting:
    """Jobs that wait share a transaction, and each has its own outcome."""

    async def test_a_job_gives_its_value_and_its_rows_are_there(self, database: Database) -> None:
        assert await database.write(_note, "one") == "one"
        assert await database.read(_notes) == ["one"]
        assert await database.search(_notes) == ["one"]

    async def test_an_answered_write_is_seen_by_every_other_connection(
        self, database: Database, base_path: Path
    ) -> None:
        await database.write(_note, "one")
        with closing(sqlite3.connect(base_path)) as other:
            assert other.execute("SELECT action FROM audit").fetchall() == [("one",)]

    async def test_jobs_that_wait_are_one_transaction(self, database: Database) -> None:
        before = await database.read(_changes)
        names = [str(number) for number in range(8)]
        outcomes = await _together(database, *(database.write(_note, name) for name in names))
        assert outcomes == names == await database.read(_notes)
        # The number of changes rises once for each transaction that changed something.
        assert await database.read(_changes) == before + 1

    async def test_a_transaction_that_changes_nothing_raises_no_number(
        self, database: Database
    ) -> None:
        before = await database.read(_changes)
        await database.write(lambda batch: _notes(batch.connection))
        assert await database.read(_changes) == before

    async def test_a_large_job_is_a_transaction_of_its_own_and_keeps_its_turn(
        self, database: Database
    ) -> None:
        before = await database.read(_changes)
        await _together(
            database,
            database.write(_note, "one"),
            database.write(_note, "large", alone=True),
            database.write(_note, "two"),
        )
        assert await database.read(_notes) == ["one", "large", "two"]
        assert await database.read(_changes) == before + 3

    async def test_all_jobs_of_a_batch_have_one_instant(self, database: Database) -> None:
        outcomes = await _together(
            database, *(database.write(lambda batch: batch.now_ms) for _ in range(3))
        )
        assert outcomes == [_NOW_MS] * 3

    async def test_numbers_are_given_once_and_in_order(self, database: Database) -> None:
        outcomes = await _together(database, *(database.write(Batch.take_seq) for _ in range(5)))
        assert outcomes == [1, 2, 3, 4, 5]
        assert await database.read(_seq) == 5
        assert await database.write(Batch.take_seq) == 6

    async def test_a_refusal_harms_no_neighbour(self, database: Database) -> None:
        outcomes = await _together(
            database,
            database.write(_note, "one"),
            database.write(_refuse),
            database.write(_note, "two"),
        )
        assert (outcomes[0], outcomes[2]) == ("one", "two")
        assert isinstance(outcomes[1], KeyNotFound)
        assert await database.read(_notes) == ["one", "two"]

    @pytest.mark.parametrize(
        ("culprit", "error"),
        [
            (_break, ZeroDivisionError),
            (_break_in_sql, OperationalError),
            (_refuse_after_writing, KeyNotFound),
        ],
    )
    async def test_a_job_that_fails_half_way_is_undone_alone(
        self, database: Database, culprit: Any, error: type[Exception]
    ) -> None:
        outcomes = await _together(
            database,
            database.write(_note, "one"),
            database.write(culprit),
            database.write(_note, "two"),
        )
        assert (outcomes[0], outcomes[2]) == ("one", "two")
        assert isinstance(outcomes[1], error)
        assert await database.read(_notes) == ["one", "two"]

    async def test_a_failed_commit_fails_the_whole_batch_and_the_writer_lives_on(
        self, database: Database
    ) -> None:
        outcomes = await _together(
            database, database.write(_note, "one"), database.write(_break_the_commit)
        )
        assert [type(outcome) for outcome in outcomes] == [NotCommitted, NotCommitted]
        assert await database.read(_notes) == []
        assert await database.write(_note, "two") == "two"
        assert await database.read(_notes) == ["two"]

    async def test_a_full_disk_fails_what_does_not_fit_and_nothing_after(
        self, database: Database, base_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        def limit(batch: Batch, pages: int) -> None:
            batch.connection.execute(text(f"PRAGMA max_page_count = {pages}")).all()

        await database.write(limit, 1)  # SQLite takes the pages that there are
        outcomes = await _together(
            database, *(database.write(_note, "x" * 100_000) for _ in range(3))
        )
        for outcome in outcomes:
            assert isinstance(outcome, Busy)
            assert outcome.retry_after_seconds == 30
            assert "Nothing was stored, because the disk of the server is full" in outcome.detail
        assert f"the disk of {base_path} is full" in caplog.text
        await database.write(limit, 1_000_000)
        assert await database.write(_note, "fits") == "fits"
        assert await database.read(_notes) == ["fits"]

    async def test_a_long_log_is_emptied_when_nobody_writes_or_reads_in_it(
        self, database: Database, base_path: Path
    ) -> None:
        log = base_path.with_name(base_path.name + "-wal")
        with closing(sqlite3.connect(base_path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM audit").fetchone()
            await database.write(_note, "x" * 20_000_000)
            await database.write(_note, "while somebody reads")
            assert log.stat().st_size > 16 * 1024 * 1024
        await asyncio.to_thread(wait_until, lambda: log.stat().st_size == 0)
        assert await database.write(_note, "after") == "after"

    async def test_a_database_locked_by_another_program_is_busy(
        self, database: Database, base_path: Path
    ) -> None:
        def be_impatient(batch: Batch) -> None:
            batch.connection.execute(text("PRAGMA busy_timeout = 20")).all()

        await database.write(be_impatient)
        with closing(sqlite3.connect(base_path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(Busy) as caught:
                await database.write(_note, "one")
            assert caught.value.retry_after_seconds == 1
            other.execute("ROLLBACK")
        assert await database.write(_note, "two") == "two"
        assert await database.read(_notes) == ["two"]

    async def test_a_job_whose_asker_left_is_done_all_the_same(self, database: Database) -> None:
        gate = _Gate()
        held = asyncio.create_task(database.write(gate))
        await gate.reached()
        left = asyncio.create_task(database.write(_note, "one"))
        stayed = asyncio.create_task(database.write(_note, "two"))
        await asyncio.gather(_cancel(left), gate.open(), return_exceptions=True)
        assert await stayed == "two"
        await held
        assert left.cancelled()
        assert await database.read(_notes) == ["one", "two"]


async def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()


class TestGroupedWriting:
    """Items of one function are handed to it in one call."""

    async def test_waiting_items_are_one_call(self, database: Database) -> None:
        calls: list[int] = []

        def write(batch: Batch, items: Sequence[str]) -> Sequence[str | MessengerError]:
            calls.append(len(items))
            return [_note(batch, item) for item in items]

        outcomes = await _together(
            database,
            *(database.write_grouped(write, name) for name in "abc"),
            database.write(_note, "other"),
        )
        assert outcomes == ["a", "b", "c", "other"]
        assert calls == [3]
        assert sorted(await database.read(_notes)) == ["a", "b", "c", "other"]

    async def test_each_item_has_its_own_refusal(self, database: Database) -> None:
        def write(batch: Batch, items: Sequence[str]) -> Sequence[str | MessengerError]:
            return [KeyNotFound(item) if item == "b" else _note(batch, item) for item in items]

        outcomes = await _together(
            database, *(database.write_grouped(write, name) for name in "abc")
        )
        assert (outcomes[0], outcomes[2]) == ("a", "c")
        assert isinstance(outcomes[1], KeyNotFound)
        assert await database.read(_notes) == ["a", "c"]

    async def test_a_call_that_fails_is_made_again_for_each_item(self, database: Database) -> None:
        def write(batch: Batch, items: Sequence[str]) -> Sequence[str | MessengerError]:
            written = [_note(batch, item) for item in items]
            if "b" in items:
                raise ZeroDivisionError
            return written

        outcomes = await _together(
            database, *(database.write_grouped(write, name) for name in "abc")
        )
        assert (outcomes[0], outcomes[2]) == ("a", "c")
        assert isinstance(outcomes[1], ZeroDivisionError)
        assert await database.read(_notes) == ["a", "c"]


class TestReading:
    """Reads see one state of the database, and change nothing."""

    @pytest.mark.parametrize("door", ["read", "search"])
    async def test_all_statements_of_a_read_see_one_state(
        self, database: Database, base_path: Path, door: str
    ) -> None:
        def read(connection: Connection) -> tuple[list[str], list[str]]:
            before = _notes(connection)
            with closing(sqlite3.connect(base_path)) as other:
                other.execute("INSERT INTO audit (at, action) VALUES (1, 'meanwhile')")
                other.commit()
            return before, _notes(connection)

        assert await getattr(database, door)(read) == ([], [])
        assert await database.search(_notes) == ["meanwhile"]
        assert await database.read(_notes) == ["meanwhile"]

    @pytest.mark.parametrize("door", ["read", "search"])
    async def test_a_read_writes_nothing_and_harms_no_later_one(
        self, database: Database, door: str
    ) -> None:
        def write(connection: Connection) -> None:
            connection.execute(insert(audit), {"at": 1, "action": "x"})

        with pytest.raises(OperationalError, match="readonly"):
            await getattr(database, door)(write)
        assert await getattr(database, door)(_notes) == []

    async def test_slow_reads_run_beside_each_other_and_beside_pages(
        self, database: Database
    ) -> None:
        both = threading.Barrier(2, timeout=5)

        def meet(_connection: Connection) -> bool:
            both.wait()
            return True

        pages, *met = await asyncio.gather(
            database.read(_notes), database.search(meet), database.search(meet)
        )
        assert (pages, met) == ([], [True, True])


class TestClosing:
    """What was taken in is done before the end."""

    async def test_the_queue_says_when_it_is_full(self, database: Database) -> None:
        gate = _Gate()
        held = asyncio.create_task(database.write(gate))
        await gate.reached()
        assert not database.is_full()
        jobs = [database.write(_note, str(number)) for number in range(10)]
        outcomes = await asyncio.gather(*jobs, _of(database.is_full), gate.open())
        assert outcomes[10] is True
        await held
        assert not database.is_full()

    async def test_close_does_what_is_queued_and_leaves_no_log(self, base_path: Path) -> None:
        database = Database.open(base_path)
        jobs = [asyncio.create_task(database.write(_note, str(n))) for n in range(600)]
        await asyncio.gather(_of(lambda: None))  # every task has queued its job
        await database.close()
        assert [await job for job in jobs] == [str(n) for n in range(600)]
        assert sorted(path.name for path in base_path.parent.iterdir()) == [base_path.name]
        with pytest.raises(Busy):
            await database.write(_note, "late")
        await database.close()

    async def test_an_idle_writer_brings_the_log_into_the_database(
        self, database: Database, base_path: Path
    ) -> None:
        def is_there() -> bool:
            return b"written down" in base_path.read_bytes()

        await database.write(_note, "written down")
        await asyncio.to_thread(wait_until, is_there)

    async def test_the_log_stays_short_under_a_steady_load(
        self, database: Database, base_path: Path
    ) -> None:
        log = base_path.with_name(base_path.name + "-wal")

        async def write(count: int) -> int:
            for number in range(count):
                await database.write(_note, str(number))
            return log.stat().st_size

        once = await write(410)
        assert await write(410) < 1.5 * once


async def _of(question: Any) -> Any:
    """What a plain function gives, once everything queued before it has started."""
    return question()
