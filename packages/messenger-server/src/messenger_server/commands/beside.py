"""A command's way into the database, also beside a running server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from messenger_server.config import Failed
from messenger_server.database import Batch, open_for_command
from messenger_server.database.opening import require_database
from messenger_server.database.transactions import NotBegun, NotCommitted


@contextmanager
def batch_of(path: Path, *, makes_database: bool = False) -> Iterator[Batch]:
    """One writing transaction on the file; where there is none it is made only when asked for.

    Raises:
        DatabaseRefused: there is no file, it is not ours, or of another version.
        Failed: it stayed locked, or the commit failed.
    """
    if not makes_database:
        require_database(path)
    try:
        with open_for_command(path) as batch:
            yield batch
    except (NotBegun, NotCommitted) as error:
        raise Failed(f"{path}: {error}") from error
