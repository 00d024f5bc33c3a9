"""Transactions: one batch from its `BEGIN IMMEDIATE` to a durable `COMMIT`, or wholly undone."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from messenger_server.database.batch import Batch
from messenger_server.database.engines import driver_of


class NotBegun(Exception):
    """Another program holds the database; nothing was done."""


class NotCommitted(Exception):
    """The database could not keep the transaction, e.g. on a full disk; nothing of it is there."""


def is_disk_full(error: BaseException | None) -> bool:
    """Whether the disk has no room for what was written; the causes of the error are asked too."""
    while error is not None:
        driver_error = getattr(error, "orig", error)  # SQLAlchemy wraps the driver's
        if getattr(driver_error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            return True
        error = error.__cause__
    return False


@contextmanager
def transaction(connection: Connection, now_ms: int) -> Iterator[Batch]:
    """A batch to write into: committed at the end, rolled back when anything is raised inside.

    Raises:
        NotBegun: the database stayed locked.
        NotCommitted: the commit failed.
    """
    try:
        current = connection.begin()
    except SQLAlchemyError as error:
        raise NotBegun(f"the database stayed locked: {error}") from error
    try:
        batch = Batch(connection, now_ms)
        yield batch
        batch.finish()
    except BaseException:
        current.rollback()
        raise
    try:
        current.commit()
    except SQLAlchemyError as error:
        # SQLAlchemy takes a failed commit for the end; to SQLite the transaction is still open.
        driver_of(connection).rollback()
        current.rollback()
        raise NotCommitted(f"the transaction could not be committed: {error}") from error
