"""The process lock: one server, or one upgrade, on a database file at a time."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec
from filelock import FileLock, Timeout

from messenger_core import times
from messenger_server.config import Refused

Work = Literal["server", "upgrade"]


class DatabaseHeld(Refused):
    """Another process works on this database file."""


class LockUnusable(Refused):
    """The lock cannot stand beside the database."""


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a database, for the sentence that refuses the next one."""

    pid: int
    work: Work
    port: int | None
    """Where a server listens."""
    since: str


@contextmanager
def hold_database(path: Path, work: Work, port: int | None = None) -> Iterator[None]:
    """Holds the database file, by whatever name it is reached, while the block runs.

    The kernel releases the lock with the process, so a killed server leaves nothing to clean up.
    The folder is created when it is missing, for its owner alone.

    Raises:
        DatabaseHeld: another process holds it; the text names that process.
        LockUnusable: the folder or the lock file cannot be written.
    """
    real = path.resolve()
    holder_path = Path(f"{real}.holder")
    lock = FileLock(f"{real}.lock", mode=0o600, thread_local=False)
    try:
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        raise DatabaseHeld(_refusal(real, _read_holder(holder_path))) from None
    except OSError as error:
        raise _unusable(real, error) from None
    try:
        me = Holder(pid=os.getpid(), work=work, port=port, since=times.rfc3339(times.now_ms()))
        try:
            _write_privately(holder_path, msgspec.json.encode(me))
        except OSError as error:
            raise _unusable(real, error) from None
        yield
    finally:
        # While the lock is still held: afterwards the file would be the next holder's.
        with suppress(OSError):
            holder_path.unlink()
        lock.release()


def _unusable(real: Path, error: OSError) -> LockUnusable:
    place = error.filename or real.parent
    if error.errno == errno.ENOSPC:
        return LockUnusable(
            f"{place} cannot be written beside the database {real}, because the disk is full: "
            "free space there, or set MESSENGER_DB_PATH"
        )
    return LockUnusable(
        f"{place} cannot be used beside the database"
        f" ({error.strerror}): check the path and its rights, or set MESSENGER_DB_PATH"
    )


def _refusal(path: Path, holder: Holder | None) -> str:
    if holder is None:
        who = "another process"
    elif holder.work == "server":
        who = f"the server with pid {holder.pid} on port {holder.port}, since {holder.since}"
    else:
        who = f"an upgrade with pid {holder.pid}, since {holder.since}"
    return (
        f"the database {path} is in use by {who}: stop it first, or name another file in"
        " MESSENGER_DB_PATH"
    )


def _read_holder(path: Path) -> Holder | None:
    """Who wrote the file, if that process still lives: one that was killed leaves its file."""
    try:
        holder = msgspec.json.decode(path.read_bytes(), type=Holder)
    except (OSError, msgspec.DecodeError):
        return None
    return holder if _is_alive(holder.pid) else None


def _is_alive(pid: int) -> bool:
    if os.name != "posix":
        return True  # a signal 0 would end the process there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _write_privately(path: Path, content: bytes) -> None:
    """Replaces the file at once, readable by its owner alone."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
