"""Retention: what is given up after its time, in portions that never hold the writer long."""

from typing import Final

from sqlalchemy import bindparam, delete, select

from messenger_core.limits import AUDIT_SECONDS
from messenger_core.schema import audit
from messenger_server.database import Batch
from messenger_server.store.copies import trashed_copies
from messenger_server.store.removal import remove_copies

PORTION: Final = 500
"""So many copies or rows at most go in one transaction."""

_PURGE_AUDIT: Final = delete(audit).where(
    audit.c.id.in_(
        select(audit.c.id).where(audit.c.at <= bindparam("until")).limit(bindparam("most"))
    )
)


def purge_trash(batch: Batch, older_than_ms: int, limit: int = PORTION) -> int:
    """Destroys copies that have been in the trash for so many milliseconds; how many.

    Call again while not 0.
    """
    copies = trashed_copies(batch.connection, batch.now_ms - older_than_ms, limit)
    remove_copies(batch, copies)
    return len(copies)


def purge_audit(batch: Batch, limit: int = PORTION) -> int:
    """Forgets what was done with the console account over a year ago; how many entries.

    Call again while not 0.
    """
    until = batch.now_ms - AUDIT_SECONDS * 1000
    return batch.connection.execute(_PURGE_AUDIT, {"until": until, "most": limit}).rowcount
