"""A host's file: read as it is, replaced whole or not at all, never opened to others.

A file that is a link is written where it leads, so the link stays. Line endings and encoding marks
are kept, since the text passes through unchanged.
"""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from messenger_mcp.setup.faults import SetupRefusedError

_PRIVATE = 0o600
_FOLDER_MODE = 0o755


def read_text(path: Path) -> str | None:
    """The text of a file, newlines as they stand; `None` when there is none.

    Raises:
        SetupRefusedError: it is there and is no file, or cannot be read as text.
    """
    try:
        # A pipe would wait for somebody to write to it.
        if not stat.S_ISREG(path.stat().st_mode):
            raise SetupRefusedError(
                f"{path} is no regular file: remove it or put a file there, then run this again. "
                "Nothing was written."
            )
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise SetupRefusedError(
            f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8, then run this "
            "again. Nothing was written."
        ) from None
    except OSError as error:
        raise _failure("read", path, error) from error


def write_text(path: Path, text: str, *, holds_secret: bool) -> None:
    """Puts the text in place of the file, whole or not at all.

    A file that holds a secret is readable by its owner alone; otherwise it keeps its rights, and a
    new one gets those of any new file.

    Raises:
        SetupRefusedError: it cannot be written, or is marked as not to be written.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f"{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        target.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        before = target.stat() if target.exists() else None
        if before is not None and not os.access(target, os.W_OK):
            raise PermissionError(13, "the file is marked as read-only")
        try:
            _write(temporary, text, before, holds_secret=holds_secret)
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise _failure("written", path, error) from error


def _write(
    temporary: Path, text: str, before: os.stat_result | None, *, holds_secret: bool
) -> None:
    # Private from its first byte; opened to others afterwards, where they may read it.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
    mode = _new_file_mode() if before is None else stat.S_IMODE(before.st_mode)
    temporary.chmod(mode & _PRIVATE if holds_secret else mode)
    if before is not None and hasattr(os, "chown"):
        # Run by root, the file stays its owner's.
        with suppress(OSError):
            os.chown(temporary, before.st_uid, before.st_gid)


def _new_file_mode() -> int:
    umask = os.umask(0o022)
    os.umask(umask)
    return 0o666 & ~umask


def _failure(what: str, path: Path, error: OSError) -> SetupRefusedError:
    reason = error.strerror or type(error).__name__
    return SetupRefusedError(f"{path} cannot be {what}: {reason}.")
