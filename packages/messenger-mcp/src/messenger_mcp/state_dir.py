"""The state folder: private files, written whole or not at all, named by hash.

Folders are 0700 and files 0600. A file's name is the SHA-256 of what it is about, so an address
never becomes a path.
"""

import hashlib
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600
_TEMPORARY_SUFFIX = ".tmp"

_HELD_OPEN_PAUSES_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1)


class StateDirError(Exception):
    """The state folder cannot be used; its text names the path, why, and what to do."""


def hashed_name(*parts: str) -> str:
    """The file name (without extension) for something named by these texts, in this order."""
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:40]


class StateDir:
    """A folder of private files. Nothing is created before the first write."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, folder: str, name: str) -> Path:
        """Where a file stands or would stand; both names are ours, never somebody's text."""
        return self.root / folder / name

    def ensure(self, folder: str) -> Path:
        """Creates the folder when missing, tightens it when others may enter it.

        Raises:
            StateDirError: it cannot be created or made private.
        """
        target = self.root / folder
        try:
            for place in (self.root, target):
                _make_private(place)
        except OSError as error:
            raise self._failure("be created", target, error) from error
        return target

    def read(self, path: Path) -> bytes | None:
        """The content of a file; `None` when there is none or it cannot be read."""
        try:
            # What is no file, such as a pipe, could hold the reader up for ever.
            return path.read_bytes() if path.is_file() else None
        except OSError:
            return None

    def write(self, path: Path, content: bytes) -> None:
        """Puts a private file in place of what is there, whole or not at all.

        Raises:
            StateDirError: the folder is read-only, full, or not ours.
        """
        self.ensure(path.parent.name)
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}{_TEMPORARY_SUFFIX}")
        try:
            _write_private(temporary, content)
            _put_in_place(temporary, path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise self._failure("be written", path, error) from error

    def remove(self, path: Path) -> None:
        """Removes a file; one that is gone already, or cannot be removed, is no failure."""
        with suppress(OSError):
            path.unlink()

    def files(self, folder: str, suffix: str) -> Iterator[Path]:
        """The files of a folder whose names end in `suffix`, in no order."""
        with suppress(OSError):
            yield from (self.root / folder).glob(f"*{suffix}")

    def purge(self, folder: str, suffix: str, is_stale: Callable[[Path, float], bool]) -> None:
        """Removes the files that are stale, by their path and last writing (epoch seconds).

        What a killed process left half written goes by the same rule.
        """
        for ending in (suffix, suffix + ".*" + _TEMPORARY_SUFFIX):
            for path in self.files(folder, ending):
                with suppress(OSError):
                    if is_stale(path, path.stat().st_mtime):
                        path.unlink()

    def _failure(self, what: str, path: Path, error: OSError) -> StateDirError:
        reason = error.strerror or type(error).__name__
        return StateDirError(
            f"The local state {str(path)!r} cannot {what} ({reason}): make the folder writable, or "
            "set MESSENGER_STATE_DIR to one that is."
        )


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    mode = folder.stat().st_mode
    # A shared place like /tmp (sticky) is not ours to close; the folders inside it are.
    if os.name == "posix" and mode & 0o077 and not mode & stat.S_ISVTX:
        folder.chmod(_FOLDER_MODE)


def _write_private(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _put_in_place(temporary: Path, path: Path) -> None:
    if sys.platform == "win32":
        # Windows refuses while another process has the file open, which is a matter of a moment.
        for pause in _HELD_OPEN_PAUSES_SECONDS:
            try:
                os.replace(temporary, path)
            except PermissionError:
                time.sleep(pause)
            else:
                return
    os.replace(temporary, path)
