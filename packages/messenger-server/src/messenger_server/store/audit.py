"""The audit trail: an entry for each act, written in the transaction of the act itself."""

from typing import Final, Literal, NamedTuple

from sqlalchemy import Connection, bindparam, func, insert, select

from messenger_core.schema import audit
from messenger_core.times import rfc3339
from messenger_core.wire.audit import AuditEvent
from messenger_server.database import Batch

Action = Literal[
    "account_created",
    "account_renamed",
    "key_changed",
    "key_created",
    "key_extended",
    "key_revoked",
    "key_rotated",
    "link_created",
    "link_deleted",
    "mailbox_deleted",
    "mailbox_renamed",
    "mailboxes_purged",
    "other_sessions_closed",
    "password_changed",
    "password_refused",
    "password_reset",
    "session_closed",
    "setup_refused",
    "sign_in_refused",
    "signed_in",
    "signed_out",
]
"""What may have been done."""

_NEAR_MS: Final = 1000

_INSERT: Final = insert(audit)
_NEWEST_NEAR: Final = select(func.max(audit.c.at)).where(
    audit.c.at >= bindparam("now_ms"), audit.c.at < bindparam("now_ms") + _NEAR_MS
)
_TRAIL: Final = (
    select(audit.c.at, audit.c.action, audit.c.target, audit.c.session, audit.c.address)
    .where(audit.c.at < bindparam("before"))
    .order_by(audit.c.at.desc(), audit.c.id.desc())
    .limit(bindparam("most"))
)


class AuditEntry(NamedTuple):
    """What was done, to what, and by whom; never with a secret in it."""

    action: Action
    target: str | None = None
    """A public id, a name, or a count: `mailboxes: 3, messages: 12`."""
    session: str | None = None
    """The public id of the console session."""
    address: str | None = None
    """The client's network address."""


def record(batch: Batch, entry: AuditEntry) -> None:
    """Writes an entry; call it after the act, which may still refuse.

    It is dated now, or as many milliseconds later as entries are there already: the time of an
    entry is the cursor of the trail's pages, so no two may share one.
    """
    newest = batch.connection.execute(_NEWEST_NEAR, {"now_ms": batch.now_ms}).scalar()
    at = batch.now_ms if newest is None else newest + 1
    batch.connection.execute(_INSERT, {"at": at, **entry._asdict()})


def trail(connection: Connection, before_ms: int, limit: int) -> list[AuditEvent]:
    """The entries older than an instant (milliseconds since 1970), newest first."""
    rows = connection.execute(_TRAIL, {"before": before_ms, "most": limit})
    return [
        AuditEvent(
            at=rfc3339(row.at),
            action=row.action,
            target=row.target,
            session=row.session,
            address=row.address,
        )
        for row in rows
    ]
