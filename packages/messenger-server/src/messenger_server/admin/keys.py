"""API keys in the console: their whole life."""

from messenger_core.errors import ApiKeyRevoked
from messenger_core.wire.access import (
    ChangeKey,
    CreatedKey,
    ExtendKey,
    Key,
    KeyDetail,
    Keys,
    NewKey,
)
from messenger_server.admin.etag import polled_by_minute
from messenger_server.api.call import Call, NoQuery
from messenger_server.database import Batch
from messenger_server.store import key_cards, key_changes, keys
from messenger_server.store.audit import AuditEntry, record


@polled_by_minute
async def list_keys(call: Call[NoQuery, None]) -> Keys:
    """Every key without its secret, newest first."""
    services = call.services
    found = await services.database.read(key_cards.list_keys, services.clock.now_ms())
    return Keys(keys=found)


async def create_key(call: Call[NoQuery, NewKey]) -> CreatedKey:
    """Makes a key and shows its secret, once."""
    return await call.services.database.write(_create, call.body, call.entry("key_created"))


async def show_key(call: Call[NoQuery, None]) -> KeyDetail:
    """One key with the mailboxes that it registered last."""
    services = call.services
    return await services.database.read(key_changes.show_key, call.name, services.clock.now_ms())


async def change_key(call: Call[NoQuery, ChangeKey]) -> Key:
    """Renames a key, describes its agent, and says whether it may send and is the relay."""
    entry = call.entry("key_changed", call.name)
    return await call.services.database.write(_change, call.name, call.body, entry)


async def extend_key(call: Call[NoQuery, ExtendKey]) -> Key:
    """Makes a key good for longer; an expired one is good again."""
    entry = call.entry("key_extended", call.name)
    return await call.services.database.write(_extend, call.name, call.body.days, entry)


async def rotate_key(call: Call[NoQuery, None]) -> CreatedKey:
    """Replaces a key by one of the same settings, and shows its secret, once."""
    entry = call.entry("key_rotated", call.name)
    return await call.services.database.write(_rotate, call.name, entry)


async def revoke_key(call: Call[NoQuery, None]) -> Key:
    """Refuses a key from now on, in the waits that it holds open too."""
    services = call.services
    entry = call.entry("key_revoked", call.name)
    key_id, key = await services.database.write(_revoke, call.name, entry)
    services.hub.end_waits_of_key(key_id, ApiKeyRevoked())
    return key


# Each act with its entry in the audit trail, in one transaction.


def _create(batch: Batch, wanted: NewKey, entry: AuditEntry) -> CreatedKey:
    created = keys.create_key(batch, wanted)
    record(batch, entry._replace(target=created.key.id))
    return created


def _change(batch: Batch, public_id: str, wanted: ChangeKey, entry: AuditEntry) -> Key:
    key = key_changes.change_key(batch, public_id, wanted)
    record(batch, entry)
    return key


def _extend(batch: Batch, public_id: str, days: int | None, entry: AuditEntry) -> Key:
    key = key_changes.extend_key(batch, public_id, days)
    record(batch, entry)
    return key


def _rotate(batch: Batch, public_id: str, entry: AuditEntry) -> CreatedKey:
    created = key_changes.rotate_key(batch, public_id)
    record(batch, entry)
    return created


def _revoke(batch: Batch, public_id: str, entry: AuditEntry) -> tuple[int, Key]:
    key_id = key_cards.stored_key(batch.connection, public_id).id
    key = keys.revoke_key(batch, public_id)
    record(batch, entry)
    return key_id, key
