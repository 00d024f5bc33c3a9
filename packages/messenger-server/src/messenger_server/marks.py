"""Marks: `announced_at` of what watchers were handed, written after the answers, many at once."""

import asyncio
import logging
from collections.abc import Iterable
from typing import Final

from messenger_core.errors import MessengerError
from messenger_server.database import Database
from messenger_server.store.arrivals import mark_announced

_log = logging.getLogger(__name__)

_MOST_PENDING: Final = 100_000
"""Marks that may wait; beyond, the oldest are given up rather than memory."""


class AnnouncedMarks:
    """Collects the marks of all mailboxes while one write is under way, then writes them together.

    No answer waits for a mark. While the writer's queue is full they stay here: the next wait that
    hands something over, or the next second, tries again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        # Keyed by both, in the order in which they came.
        self._pending: dict[tuple[int, int], None] = {}
        self._writing: asyncio.Task[None] | None = None

    def add(self, mailbox_id: int, seqs: Iterable[int]) -> None:
        """Notes that a watcher was handed these messages of a mailbox."""
        self._pending.update(((mailbox_id, seq), None) for seq in seqs)
        while len(self._pending) > _MOST_PENDING:
            del self._pending[next(iter(self._pending))]
        self.write()

    def write(self) -> None:
        """Begins to write what is pending, unless that is under way or the queue is full."""
        if self._pending and self._writing is None and not self._database.is_full():
            self._writing = asyncio.create_task(self._write_all())

    async def finish(self) -> None:
        """Returns when everything is written that can be."""
        self.write()
        if self._writing is not None:
            await self._writing

    async def _write_all(self) -> None:
        try:
            while self._pending and not self._database.is_full():
                await self._write_pending()
        except MessengerError:
            pass  # not now: they wait
        except Exception:  # noqa: BLE001 (a border: nobody awaits this task)
            _log.exception("announced messages could not be marked")
        finally:
            self._writing = None

    async def _write_pending(self) -> None:
        """Writes what waits at this moment; a refusal of the database puts it back."""
        taken, self._pending = self._pending, {}
        seqs: dict[int, list[int]] = {}
        for mailbox_id, seq in taken:
            seqs.setdefault(mailbox_id, []).append(seq)
        try:
            await self._database.write(mark_announced, seqs)
        except MessengerError:
            self._pending = {**taken, **self._pending}
            raise
