"""A lock between processes on a file: gone with its holder, however that one ends.

`filelock` would do the same; importing it costs the watcher a tenth of its memory, for these few
lines.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

from messenger_mcp.state_dir import StateDir, StateDirError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class FileLock:
    """An exclusive lock that the kernel releases when its holder dies. Not for threads."""

    def __init__(self, state: StateDir, path: Path) -> None:
        self._state = state
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, *, wait: bool = False) -> bool:
        """Takes the lock; `False` when another process has it and `wait` was not asked.

        Raises:
            StateDirError: the lock file cannot be created or locked.
        """
        self._state.ensure(self._path.parent.name)
        try:
            self._descriptor = _open_locked(self._path, wait=wait)
        except OSError as error:
            raise StateDirError(
                f"The lock {str(self._path)!r} cannot be taken ({error.strerror}): make the folder "
                "writable, or set MESSENGER_STATE_DIR to one that is."
            ) from error
        return self._descriptor is not None

    def release(self) -> None:
        """Gives the lock back; does nothing when it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        """Takes the lock, waiting for it, unless it is held already."""
        if self._descriptor is None:
            self.acquire(wait=True)
        return self

    def __exit__(self, *failure: object) -> None:
        """Gives the lock back."""
        self.release()


def is_locked(path: Path) -> bool:
    """Whether a process holds the exclusive lock; creates nothing.

    The look itself takes the lock, shared, for an instant: who wants it tries more than once.
    """
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _lock(descriptor, wait=False, shared=True)
    finally:
        os.close(descriptor)


def remove_unlocked(path: Path) -> None:
    """Removes a lock file that nobody holds; leaves one that is held."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR)
        try:
            if _lock(descriptor, wait=False):
                path.unlink()
        finally:
            os.close(descriptor)


def _open_locked(path: Path, *, wait: bool) -> int | None:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            locked = _lock(descriptor, wait=wait)
        except OSError:
            os.close(descriptor)
            raise
        # A file that was removed meanwhile is another one than the next process will open.
        if locked and _is_file_at(path, descriptor):
            with suppress(OSError):
                os.utime(path)
            return descriptor
        os.close(descriptor)
        if not locked:
            return None


def _is_file_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _lock(descriptor: int, *, wait: bool, shared: bool = False) -> bool:
        del shared  # Windows knows no other lock here than the exclusive one.
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            except OSError:
                # LK_LOCK itself gives up after ten seconds.
                if not wait:
                    return False
            else:
                return True

else:

    def _lock(descriptor: int, *, wait: bool, shared: bool = False) -> bool:
        mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(descriptor, mode if wait else mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
