"""One watcher a mailbox on one machine: `watch/<hash>.lock`."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from messenger_mcp.file_lock import FileLock, is_locked, remove_unlocked
from messenger_mcp.state_dir import StateDir, hashed_name

FOLDER = "watch"
KEPT_FOR = timedelta(days=31)

_SUFFIX = ".lock"
_TRIES = 10
_PAUSE_SECONDS = 0.1


async def take_watch_lock(state: StateDir, server_url: str, address: str) -> FileLock | None:
    """The mailbox's lock, held; `None` when another watcher of this machine has it.

    It is tried for a second: the watcher before may be ending, or a session may be looking.

    Raises:
        StateDirError: the lock file cannot be created.
    """
    lock = FileLock(state, _path(state, server_url, address))
    for _ in range(_TRIES):
        if lock.acquire():
            return lock
        await asyncio.sleep(_PAUSE_SECONDS)
    return None


def is_watched(state: StateDir, server_url: str, address: str) -> bool:
    """Whether a watcher of this machine holds the mailbox's lock."""
    return is_locked(_path(state, server_url, address))


def purge_locks(state: StateDir, now_seconds: float) -> None:
    """Removes the lock files that nobody holds and nobody took for a month.

    Args:
        state: the state folder.
        now_seconds: seconds since 1970.
    """
    oldest = now_seconds - KEPT_FOR.total_seconds()
    for path in state.files(FOLDER, _SUFFIX):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                remove_unlocked(path)


def _path(state: StateDir, server_url: str, address: str) -> Path:
    return state.path(FOLDER, hashed_name(server_url, address) + _SUFFIX)
