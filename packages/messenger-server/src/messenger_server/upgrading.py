"""Upgrading: a copy beside the database, then its schema at this version's revision."""

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from messenger_core import migrate
from messenger_server.config import Failed
from messenger_server.database import SchemaBehind
from messenger_server.database.engines import driver_of, writing_engine
from messenger_server.database.opening import prepare, require_database


class NotUpgraded(Failed):
    """The upgrade failed; the database is as it was."""


class Upgrade(NamedTuple):
    """What an upgrade did."""

    before: str | None
    """The revision that it found."""
    backup: Path
    """The whole database as it was."""


def why_behind(path: Path) -> str | None:
    """The sentence that says how far a database is behind this version; `None` when it is not.

    Raises:
        DatabaseRefused: the file is not ours, or a newer version upgraded it.
        NoDatabase: there is no file.
    """
    require_database(path)
    try:
        prepare(path)
    except SchemaBehind as behind:
        return str(behind)
    return None


def bring_up_to_date(path: Path) -> Upgrade | None:
    """Backs a database up and migrates it; `None` when it is current and nothing was done.

    The caller holds the process lock.

    Raises:
        DatabaseRefused: the file is not ours, or a newer version upgraded it.
        NoDatabase: there is no file.
        NotUpgraded: the backup or a migration failed.
    """
    if why_behind(path) is None:
        return None
    engine = writing_engine(path)
    try:
        with engine.connect() as connection:
            with connection.begin():
                before = migrate.current(connection)
            backup = _back_up(connection, path, before)
            _migrate(connection, path, backup)
    finally:
        engine.dispose()
    return Upgrade(before, backup)


def _back_up(connection: Connection, path: Path, revision: str | None) -> Path:
    """Copies the database into a file beside it, for its owner alone, safe on the disk."""
    backup = path.with_name(f"{path.name}.backup-{revision}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    try:
        # SQLite fills an empty file, and so keeps the mode that it was made with.
        descriptor = os.open(backup, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            driver_of(connection).execute("VACUUM INTO ?", (str(backup),))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except (OSError, sqlite3.Error) as error:
        raise NotUpgraded(
            f"{path} was not upgraded, because the backup {backup} failed: {error}"
        ) from error
    return backup


def _migrate(connection: Connection, path: Path, backup: Path) -> None:
    try:
        with connection.begin():
            migrate.upgrade(connection)
    except Exception as error:
        # A border: whatever a migration raises, its transaction is rolled back.
        raise NotUpgraded(
            f"{path} was not upgraded and is as it was; a copy is in {backup}: {error}"
        ) from error
