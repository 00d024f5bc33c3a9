"""Writer: the one thread that writes, and its group commit.

Jobs wait in a queue. The writer takes what is there, runs all of it in one transaction, commits,
and only then resolves every job's future, with one call to the loop for the whole batch.

A job checks everything before its first write, so a refusal harms nobody. Whatever else fails
inside a batch rolls it back, and its jobs run again one by one: only the culprit fails.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from messenger_core.errors import Busy, MessengerError
from messenger_server.database.batch import Batch
from messenger_server.database.checkpoints import Checkpoints
from messenger_server.database.transactions import (
    NotBegun,
    NotCommitted,
    is_disk_full,
    transaction,
)

_logger = logging.getLogger(__name__)

_BATCH_MAX_JOBS: Final = 256
_IDLE_SECONDS: Final = 0.5
"""After this long without a job the log file is brought into the database."""
_FULL_RETRY_SECONDS: Final = 30
_FULL_SENTENCE: Final = (
    "Nothing was stored, because the disk of the server is full: "
    "space has to be freed there, then try again."
)


class Job(NamedTuple):
    """Something to write, and the future that hears of it."""

    run: Callable[..., Any]  # Any: the future's type is known where the job is made
    """`run(batch, *arguments)`; of a grouped job `run(batch, [item, …])`."""
    arguments: tuple[Any, ...]
    """Of a grouped job: its item alone."""
    future: asyncio.Future[Any]
    grouped: bool = False
    """It runs in one call with every waiting job of the same function."""
    alone: bool = False
    """It is a batch of its own: it is large."""


class _Outcome(NamedTuple):
    future: asyncio.Future[Any]
    value: object
    error: Exception | None


class Writer:
    """The writing thread over its own connection."""

    def __init__(
        self, connection: Connection, path: Path, clock: Callable[[], int], queue_limit: int
    ) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock
        self._limit = queue_limit
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._kept: Job | None = None
        self._checkpoints = Checkpoints(connection, path)
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="messenger-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queues a job; its future is resolved once it is committed, refused or failed.

        Raises:
            Busy: the writer is closing.
        """
        if self._is_closing:
            raise Busy("The server is stopping: try again soon.", retry_after_seconds=1)
        self._queue.put(job)

    def is_full(self) -> bool:
        """Whether no further job should be let in."""
        return self._queue.qsize() >= self._limit

    def stop(self) -> None:
        """Takes no further job; what is queued is still done."""
        if not self._is_closing:
            self._is_closing = True
            self._queue.put(None)

    def join(self) -> None:
        """Waits until everything is done, the log file empty, and the connection closed."""
        self._thread.join()

    def _work(self) -> None:
        while (first := self._kept or self._next_job()) is not None:
            jobs = self._gather(first)
            _hand_over(self._run(jobs))
            del jobs, first  # an idle writer keeps no message alive
            self._keep_log_short(self._checkpoints.after_batch)
        self._keep_log_short(self._checkpoints.at_close)
        self._connection.close()

    def _next_job(self) -> Job | None:
        """The next job, waited for; `None` at the end of all work."""
        while True:
            try:
                return self._queue.get(timeout=_IDLE_SECONDS)
            except Empty:
                self._keep_log_short(self._checkpoints.when_idle)

    def _gather(self, first: Job) -> list[Job]:
        """The first job with all that waits behind it and may share its transaction."""
        self._kept = None
        jobs = [first]
        while not first.alone and len(jobs) < _BATCH_MAX_JOBS:
            try:
                job = self._queue.get_nowait()
            except Empty:
                break
            if job is None:
                # The end's mark: nothing follows it, and it is met again after this batch.
                self._queue.put(None)
                break
            if job.alone:
                self._kept = job
                break
            jobs.append(job)
        return jobs

    def _run(self, jobs: list[Job]) -> list[_Outcome]:
        """Runs and commits the jobs, together if that works, else one by one."""
        try:
            with transaction(self._connection, self._clock()) as batch:
                return _run_in(batch, jobs)
        except NotBegun as failure:
            error = self._not_begun(failure)
            return [_Outcome(job.future, None, error) for job in jobs]
        except NotCommitted as failure:
            error = self._without_room(failure)
            return [_Outcome(job.future, None, error) for job in jobs]
        except Exception as error:  # noqa: BLE001  # whatever a job raises goes to its future
            if len(jobs) == 1:
                return [_Outcome(jobs[0].future, None, self._without_room(error))]
        return [outcome for job in jobs for outcome in self._run([job])]

    def _not_begun(self, failure: NotBegun) -> Exception:
        if is_disk_full(failure):
            return self._without_room(failure)
        _logger.warning("the database is locked by another program: %s", failure.__cause__)
        return Busy("The database is busy: try again soon.", retry_after_seconds=1)

    def _without_room(self, failure: Exception) -> Exception:
        """The failure, or what the caller is told when the disk is full: it is not our fault."""
        if not is_disk_full(failure):
            return failure
        _logger.error("the disk of %s is full: a write was undone; free space there", self._path)
        return Busy(_FULL_SENTENCE, retry_after_seconds=_FULL_RETRY_SECONDS)

    def _keep_log_short(self, checkpoint: Callable[[], None]) -> None:
        try:
            checkpoint()
        except Exception:
            # A full disk, say: the log keeps what was acknowledged, and the next try may succeed.
            _logger.exception("a checkpoint of the database failed")


def _run_in(batch: Batch, jobs: list[Job]) -> list[_Outcome]:
    """What becomes of each job; an exception of one that had written ends the batch."""
    outcomes = []
    groups: dict[Callable[..., Any], list[Job]] = {}
    for job in jobs:
        if job.grouped:
            groups.setdefault(job.run, []).append(job)
        else:
            outcomes.append(_run_single(batch, job))
    for run, members in groups.items():
        results = run(batch, [job.arguments[0] for job in members])
        outcomes += [
            _Outcome(job.future, None, result)
            if isinstance(result, MessengerError)
            else _Outcome(job.future, result, None)
            for job, result in zip(members, results, strict=True)
        ]
    return outcomes


def _run_single(batch: Batch, job: Job) -> _Outcome:
    footprint = batch.footprint
    try:
        return _Outcome(job.future, job.run(batch, *job.arguments), None)
    except MessengerError as refusal:
        if batch.footprint != footprint:
            raise
        return _Outcome(job.future, None, refusal)


def _hand_over(outcomes: list[_Outcome]) -> None:
    """Resolves the futures, each on its own loop, with one call for all of a loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Outcome]] = {}
    for outcome in outcomes:
        by_loop.setdefault(outcome.future.get_loop(), []).append(outcome)
    for loop, own in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, own)
        except RuntimeError:
            _logger.warning("%d jobs were done after their event loop had closed", len(own))


def _resolve(outcomes: list[_Outcome]) -> None:
    for future, value, error in outcomes:
        if future.done():
            continue  # the asker is gone
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)
