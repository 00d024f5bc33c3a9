"""Opening: whether a file is a database of ours at this version, and the making of a new one.

A file that is not ours is looked at and never touched: its first hundred bytes say what it is.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from messenger_core import migrate
from messenger_core.schema import APPLICATION_ID
from messenger_server.config import Refused
from messenger_server.database.engines import driver_of, writing_engine
from messenger_server.database.transactions import is_disk_full

_HEADER_BYTES: Final = 100
_MAGIC: Final = b"SQLite format 3\x00"
_APPLICATION_ID_AT: Final = slice(68, 72)
"""Where the header holds it, most significant byte first (sqlite.org/fileformat, §1.3)."""


class DatabaseRefused(Refused):
    """The server does not work on this file, and has not changed it."""


class Unusable(DatabaseRefused):
    """The file cannot be read or written."""


class NoDatabase(DatabaseRefused):
    """There is none, and what was asked for has nothing to do without one."""


class ManyNames(DatabaseRefused):
    """The file has further names: SQLite finds its log by name, and each name would get its own."""


class NotOurs(DatabaseRefused):
    """The file is no database of Messenger."""


class SchemaBehind(DatabaseRefused):
    """The database was made by an older version and waits for an upgrade."""


class SchemaAhead(DatabaseRefused):
    """The database was upgraded by a newer version."""


def prepare(path: Path) -> None:
    """Makes sure that a database of ours at the newest revision stands at the path.

    Where there is no file, or an empty one, a database is made: folder 0700, file 0600.

    Raises:
        DatabaseRefused: another file stands there, or a database of another version.
    """
    with _file_errors(path):
        _refuse_unsafe(path)
        is_new = _is_absent_or_empty(path)
        if is_new:
            _make_file(path)
        else:
            _refuse_foreign(path)
        _bring_to_head(path, is_new=is_new)


def require_database(path: Path) -> None:
    """Refuses a path where `prepare` would make a database, before it does.

    Raises:
        DatabaseRefused: no database stands there, or another file.
    """
    with _file_errors(path):
        _refuse_unsafe(path)
        if _is_absent_or_empty(path):
            raise NoDatabase(
                f"there is no database at {path}: check MESSENGER_DB_PATH; "
                "`messenger-server` and `messenger-server keys create` make a new one"
            )


def refuse_foreign(path: Path) -> None:
    """Refuses a file that is not ours, before anything is written beside it.

    Raises:
        DatabaseRefused: another file stands there.
    """
    with _file_errors(path):
        _refuse_unsafe(path)
        if not _is_absent_or_empty(path):
            _refuse_foreign(path)


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        is_full = error.errno == errno.ENOSPC
        next_step = "free space there" if is_full else "check the path and its rights"
        raise Unusable(
            f"{path} cannot be used as the database ({error.strerror}): "
            f"{next_step}, or set MESSENGER_DB_PATH"
        ) from None
    except DatabaseError as error:
        next_step = ", free space there" if is_disk_full(error) else ""
        raise Unusable(f"{path} cannot be used as the database: {error.orig}{next_step}") from error


def _refuse_unsafe(path: Path) -> None:
    """Refuses what is no plain file with one name; it is not opened: a FIFO would wait for ever."""
    try:
        facts = path.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(facts.st_mode):
        kind = "a directory" if stat.S_ISDIR(facts.st_mode) else "no regular file"
        raise Unusable(
            f"{path} cannot be used as the database, because it is {kind}: "
            "set MESSENGER_DB_PATH to a file"
        )
    if facts.st_nlink > 1:
        raise ManyNames(
            f"{path} has {facts.st_nlink} names (hard links), and mail would be lost if it were "
            "opened by two of them: remove the other names, or copy it to a file with one, "
            "and set MESSENGER_DB_PATH to that"
        )


def _refuse_foreign(path: Path) -> None:
    if not _is_ours(path):
        raise NotOurs(
            f"{path} is not a Messenger database, and it was left untouched: "
            "set MESSENGER_DB_PATH to another file"
        )


def _is_absent_or_empty(path: Path) -> bool:
    try:
        with path.open("rb") as file:  # not by its size: files of the system have none to tell
            return not file.read(1)
    except FileNotFoundError:
        return True


def _make_file(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    application_id = int.from_bytes(header[_APPLICATION_ID_AT], "big")
    return header.startswith(_MAGIC) and application_id == APPLICATION_ID


def _bring_to_head(path: Path, *, is_new: bool) -> None:
    """Migrates a database that holds nothing yet, and refuses one of another revision."""
    engine = writing_engine(path)
    try:
        with engine.connect() as connection:
            if is_new:
                # First and by itself: a process killed during the migration leaves a file of ours.
                driver_of(connection).execute(f"PRAGMA application_id = {APPLICATION_ID}")
            if _revision(connection) is None:
                _migrate(connection)
            _refuse_other_revision(connection, path)
            driver_of(connection).execute("PRAGMA journal_mode = WAL")
    finally:
        engine.dispose()


def _revision(connection: Connection) -> str | None:
    with connection.begin():
        return migrate.current(connection)


def _migrate(connection: Connection) -> None:
    with connection.begin():
        # Asked again inside the transaction: a command beside the server may have been faster.
        if migrate.current(connection) is None:
            migrate.upgrade(connection)


def _refuse_other_revision(connection: Connection, path: Path) -> None:
    with connection.begin():
        revision = migrate.current(connection)
        if revision == migrate.HEAD_REVISION:
            return
        if migrate.is_known(revision):
            raise SchemaBehind(
                f"{path} is at revision {revision}, and this version needs "
                f"{migrate.HEAD_REVISION}: run `messenger-server upgrade`"
            )
        raise SchemaAhead(
            f"{path} is at revision {revision}, which this version does not know: "
            f"it needs messenger-core {migrate.upgraded_by(connection)} or newer"
        )
