"""The registry's folder: one private file a mailbox, changed by one process at a time."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import msgspec

from messenger_mcp.file_lock import FileLock
from messenger_mcp.registry_entry import Entry, Moment
from messenger_mcp.state_dir import StateDir, StateDirError, hashed_name
from messenger_mcp.surroundings import Surroundings

FOLDER = "mailboxes"
KEPT_FOR = timedelta(days=30)

_SUFFIX = ".json"
_LOCK_NAME = "registry.lock"
_LOCK_RETRY_SECONDS = 0.005

_log = logging.getLogger(__name__)


class Unreadable:
    """An entry is there and says nothing: nobody may conclude that its mailbox is free."""


class RegistryFolder:
    """The entries of one server's mailboxes."""

    def __init__(self, state: StateDir, server_url: str, surroundings: Surroundings) -> None:
        self.server_url = server_url
        self._state = state
        self._surroundings = surroundings
        self._lock_path = state.path(FOLDER, _LOCK_NAME)

    @contextmanager
    def changing(self, within_seconds: float) -> Iterator[None]:
        """Keeps every other process from changing entries; a holder that dies lets go at once.

        Raises:
            StateDirError: the folder cannot be used, or another process keeps the lock too long.
        """
        lock = FileLock(self._state, self._lock_path)
        deadline = time.monotonic() + within_seconds
        while not lock.acquire():
            if time.monotonic() > deadline:
                raise StateDirError(
                    f"The lock {str(self._lock_path)!r} is kept by another process for more than "
                    f"{within_seconds:g} seconds: end the messenger-mcp process that hangs."
                )
            time.sleep(_LOCK_RETRY_SECONDS)
        try:
            yield
        finally:
            lock.release()

    def entries(self) -> list[Entry]:
        """Every readable entry of this server, in no order."""
        found = (self._decoded(path) for path in self._state.files(FOLDER, _SUFFIX))
        return [
            entry for entry in found if isinstance(entry, Entry) and entry.server == self.server_url
        ]

    def read(self, address: str) -> Entry | Unreadable | None:
        """The entry of a mailbox; `None` when there is none."""
        return self._decoded(self._path(address))

    def write(self, entry: Entry) -> None:
        """Puts an entry in place of the earlier one, whole or not at all.

        Raises:
            StateDirError: it could not be written; what was there stands as it was.
        """
        self._state.write(self._path(entry.address), msgspec.json.encode(entry))

    def remove(self, address: str) -> None:
        """Forgets a mailbox."""
        self._state.remove(self._path(address))

    def purge(self) -> None:
        """Removes what no session has touched for a month, of every server, readable or not."""
        oldest = self._file_clock_seconds() - KEPT_FOR.total_seconds()
        self._state.purge(FOLDER, _SUFFIX, lambda _, written_at: written_at < oldest)

    def moment(self, address: str) -> Moment:
        """What the leases of a mailbox are judged against, now."""
        age_seconds = 0.0
        with suppress(OSError):
            age_seconds = self._file_clock_seconds() - self._path(address).stat().st_mtime
        return Moment(self._surroundings, int(age_seconds * 1000))

    def _path(self, address: str) -> Path:
        return self._state.path(FOLDER, hashed_name(self.server_url, address) + _SUFFIX)

    def _file_clock_seconds(self) -> float:
        # A shared folder has a clock of its own: touching a file there is how to read it.
        try:
            os.utime(self._lock_path)
            return self._lock_path.stat().st_mtime
        except OSError:
            return time.time()

    def _decoded(self, path: Path) -> Entry | Unreadable | None:
        content = self._state.read(path)
        if content is None:
            return Unreadable() if os.path.lexists(path) else None
        try:
            entry = msgspec.json.decode(content, type=Entry)
        except (msgspec.DecodeError, UnicodeDecodeError):
            entry = None
        if entry is None or path.stem != hashed_name(entry.server, entry.address):
            _log.warning("The registry entry %s is damaged; its mailbox is left alone.", path)
            return Unreadable()
        return entry
