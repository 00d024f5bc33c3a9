"""Checkpoints: when the write-ahead log is brought into the database file, by the writer alone.

Were it left to SQLite, the commit that happens to reach a thousand pages would pay for it, and a
send now and then would take twenty times as long as its neighbours.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from messenger_server.database.engines import driver_of

_PASSIVE_EVERY_BATCHES: Final = 400
_RESTART_ABOVE_BYTES: Final = 64 * 1024 * 1024
_TRUNCATE_ABOVE_BYTES: Final = 16 * 1024 * 1024
"""A busy time leaves a log of this size or more, which no passive checkpoint makes shorter."""


class Checkpoints:
    """The checkpoints of one database, made between the batches of its writer."""

    def __init__(self, connection: Connection, path: Path) -> None:
        self._driver = driver_of(connection)
        self._log = path.with_name(path.name + "-wal")
        self._batches = 0

    def after_batch(self) -> None:
        """Counts a batch, and copies what the log holds every some hundred of them."""
        self._batches += 1
        if self._batches >= _PASSIVE_EVERY_BATCHES:
            self._copy()

    def when_idle(self) -> None:
        """Copies what was written since the last checkpoint, while nobody waits for the writer."""
        if self._log_bytes() > _TRUNCATE_ABOVE_BYTES:
            self._batches = 0
            self._truncate_at_once()
        elif self._batches:
            self._copy()

    def at_close(self) -> None:
        """Copies everything and leaves an empty log."""
        self._run("TRUNCATE")

    def _truncate_at_once(self) -> None:
        """Copies everything and empties the log, unless somebody reads in it: then another time."""
        waits = self._driver.execute("PRAGMA busy_timeout").fetchone()[0]
        self._driver.execute("PRAGMA busy_timeout = 0")
        try:
            self._run("TRUNCATE")
        finally:
            self._driver.execute(f"PRAGMA busy_timeout = {waits}")

    def _copy(self) -> None:
        self._batches = 0
        # A log that readers kept from starting over grows: then, and only then, wait for them.
        self._run("RESTART" if self._log_bytes() > _RESTART_ABOVE_BYTES else "PASSIVE")

    def _log_bytes(self) -> int:
        try:
            return self._log.stat().st_size
        except FileNotFoundError:
            return 0

    def _run(self, mode: str) -> None:
        self._driver.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
