"""Engines: how connections to the SQLite file are set up, for the writer and for readers."""

import sqlite3
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event

from messenger_core import migrate

_BUSY_MS: Final = 10_000
"""How long a locked file is waited for, e.g. while a command line tool writes."""
_STATEMENTS: Final = 256
"""How many prepared statements a connection of the driver keeps."""


def writing_engine(path: Path) -> Engine:
    """An engine whose every transaction is a `BEGIN IMMEDIATE`, durable at its `COMMIT`."""
    engine = _engine(path)
    migrate.configure_sqlite(engine)

    @event.listens_for(engine, "connect")
    def _on_connect(driver: Any, _record: object) -> None:  # Any: the event's own type
        driver.execute("PRAGMA synchronous = FULL")

    return engine


def reading_engine(path: Path) -> Engine:
    """An engine whose connections read and never write, without transactions of their own."""
    engine = _engine(path, isolation_level="AUTOCOMMIT")

    @event.listens_for(engine, "connect")
    def _on_connect(driver: Any, _record: object) -> None:  # Any: the event's own type
        driver.execute("PRAGMA query_only = ON")
        driver.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        driver.execute("PRAGMA wal_autocheckpoint = 0")

    return engine


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The driver's connection below SQLAlchemy's, for what only the driver knows."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def _engine(path: Path, **options: Any) -> Engine:  # Any: passed through to create_engine
    return create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=NullPool,
        # Each connection is worked by one thread at a time; which one is decided elsewhere.
        connect_args={"check_same_thread": False, "cached_statements": _STATEMENTS},
        **options,
    )
