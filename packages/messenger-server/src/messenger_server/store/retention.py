"""Retention: what is given up after its time, in portions that never hold the writer long."""

from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, select

from messenger_core.limits import AUDIT_SECONDS, MEGABYTE
from messenger_core.schema import attachment, audit
from messenger_server.database import Batch, Lookup
from messenger_server.store.copies import FiledCopy, trashed_copies
from messenger_server.store.removal import remove_copies

PORTION: Final = 500
"""So many copies or rows at most go in one transaction."""
_PORTION_BYTES: Final = 64 * MEGABYTE
"""Of files: deleting them takes as long as reading them."""

_FILE_BYTES: Final = Lookup(
    lambda columns: int(columns[0]),
    select(func.coalesce(func.sum(attachment.c.size_bytes), 0)).where(
        attachment.c.seq == bindparam("of_seq")
    ),
    "of_seq",
)
_PURGE_AUDIT: Final = delete(audit).where(
    audit.c.id.in_(
        select(audit.c.id).where(audit.c.at <= bindparam("until")).limit(bindparam("most"))
    )
)


def purge_trash(
    batch: Batch, older_than_ms: int, limit: int = PORTION, most_bytes: int = _PORTION_BYTES
) -> int:
    """Destroys copies that have been in the trash for so many milliseconds; how many.

    It ends before their files pass `most_bytes`; one copy it takes at least. Call again while
    not 0.
    """
    connection = batch.connection
    old = trashed_copies(connection, batch.now_ms - older_than_ms, limit)
    copies = _portion(connection, old, most_bytes)
    remove_copies(batch, copies)
    return len(copies)


def purge_audit(batch: Batch, limit: int = PORTION) -> int:
    """Forgets what was done with the console account over a year ago; how many entries.

    Call again while not 0.
    """
    until = batch.now_ms - AUDIT_SECONDS * 1000
    return batch.connection.execute(_PURGE_AUDIT, {"until": until, "most": limit}).rowcount


def _portion(connection: Connection, copies: list[FiledCopy], most_bytes: int) -> list[FiledCopy]:
    """The first copies, as many as carry files of so many bytes together."""
    size_bytes = 0
    for number, copy in enumerate(copies):
        size_bytes += _FILE_BYTES.first(connection, copy.seq) or 0
        if number and size_bytes > most_bytes:
            return copies[:number]
    return copies
