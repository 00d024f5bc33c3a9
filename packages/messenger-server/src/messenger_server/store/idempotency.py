"""Idempotency: sends that carried a key, kept for a day, so that a repetition sends nothing.

A record outlives its message on purpose: a late retry must not send it a second time.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import bindparam, delete, select, tuple_
from sqlalchemy.dialects.sqlite import insert

from messenger_core.limits import IDEMPOTENCY_SECONDS
from messenger_core.schema import idempotency
from messenger_server.database import Batch, Bulk, Lookup

_PURGE_ROWS: Final = 500
"""So many at most are removed in one go: the writer is never held long."""


class SendRecord(NamedTuple):
    """A send that was accepted; the columns of `_FIND`, in their order."""

    fingerprint: str
    message_id: str
    recipient_never_connected: int
    recipient_watcher_armed: int


class KeptSend(NamedTuple):
    """A send to remember; the columns of the table."""

    mailbox_id: int
    key: str
    fingerprint: str
    message_id: str
    recipient_never_connected: bool
    recipient_watcher_armed: bool
    created_at: int
    """Milliseconds since 1970."""


_FIND: Final = Lookup(
    SendRecord._make,
    select(
        idempotency.c.fingerprint,
        idempotency.c.message_id,
        idempotency.c.recipient_never_connected,
        idempotency.c.recipient_watcher_armed,
    ).where(
        idempotency.c.mailbox_id == bindparam("of"),
        idempotency.c.key == bindparam("with_key"),
        idempotency.c.created_at > bindparam("since"),
    ),
    "of",
    "with_key",
    "since",
)
_insert = insert(idempotency)
_KEEP: Final = Bulk(
    _insert.on_conflict_do_update(
        # Only a record past its day is still there when a new one is kept.
        index_elements=[idempotency.c.mailbox_id, idempotency.c.key],
        set_={name: _insert.excluded[name] for name in KeptSend._fields[2:]},
    ),
    *KeptSend._fields,
)
_PURGE: Final = delete(idempotency).where(
    tuple_(idempotency.c.mailbox_id, idempotency.c.key).in_(
        select(idempotency.c.mailbox_id, idempotency.c.key)
        .where(idempotency.c.created_at <= bindparam("until"))
        .limit(_PURGE_ROWS)
    )
)


def find_send(batch: Batch, mailbox_id: int, key: str) -> SendRecord | None:
    """The send of a mailbox that carried this key within the last day."""
    return _FIND.first(batch.connection, mailbox_id, key, _day_before(batch.now_ms))


def keep_sends(batch: Batch, sends: Sequence[KeptSend]) -> None:
    """Remembers accepted sends for a day."""
    _KEEP.write(batch.connection, sends)


def purge_idempotency(batch: Batch) -> int:
    """Forgets sends older than a day, some hundred at most; how many. Call again while not 0."""
    return batch.connection.execute(_PURGE, {"until": _day_before(batch.now_ms)}).rowcount


def _day_before(now_ms: int) -> int:
    return now_ms - IDEMPOTENCY_SECONDS * 1000
