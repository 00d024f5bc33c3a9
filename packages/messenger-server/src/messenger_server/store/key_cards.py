"""How a key is shown to the person: everything but its secret, its state computed."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select

from messenger_core.echo import echoed
from messenger_core.errors import KeyNotFound
from messenger_core.schema import api_key
from messenger_core.times import rfc3339, rfc3339_or_none
from messenger_core.wire.access import Key, KeyState


class StoredKey(NamedTuple):
    """A key as the base keeps it; instants in milliseconds since 1970."""

    id: int
    public_id: str
    name: str
    start: str
    end: str
    agent_name: str | None
    agent_description: str | None
    can_send: bool
    vendor: str | None
    relay: bool
    lifetime_days: int | None
    created_at: int
    expires_at: int | None
    last_used_at: int | None
    revoked_at: int | None
    accepted_until: int | None
    replaced_by: str | None
    """The public id of the key that replaced it."""


_replacement = api_key.alias("replacement")
# The columns of `StoredKey`, in their order.
_KEYS: Final = select(
    *(api_key.c[name] for name in StoredKey._fields[:-1]),
    _replacement.c.public_id.label("replaced_by"),
).select_from(api_key.outerjoin(_replacement, _replacement.c.id == api_key.c.replaced_by_id))
_ALL_KEYS: Final = _KEYS.order_by(api_key.c.id.desc())
_ONE_KEY: Final = _KEYS.where(api_key.c.public_id == bindparam("public_id"))


def list_keys(connection: Connection, now_ms: int) -> list[Key]:
    """Every key, newest first."""
    return [key_card(StoredKey._make(row), now_ms) for row in connection.execute(_ALL_KEYS)]


def one_key(connection: Connection, public_id: str, now_ms: int) -> Key:
    """The key with this public id.

    Raises:
        KeyNotFound: there is no such key.
    """
    return key_card(stored_key(connection, public_id), now_ms)


def stored_key(connection: Connection, public_id: str) -> StoredKey:
    """The same, as the base keeps it."""
    row = connection.execute(_ONE_KEY, {"public_id": public_id}).first()
    if row is None:
        raise KeyNotFound(f"There is no API key {echoed(public_id)}.")
    return StoredKey._make(row)


def key_card(row: StoredKey, now_ms: int) -> Key:
    """What is shown of a key."""
    return Key(
        id=row.public_id,
        name=row.name,
        start=row.start,
        end=row.end,
        agent_name=row.agent_name,
        agent_description=row.agent_description,
        can_send=row.can_send,
        vendor=row.vendor,
        relay=row.relay,
        created_at=rfc3339(row.created_at),
        expires_at=rfc3339_or_none(row.expires_at),
        last_used_at=rfc3339_or_none(row.last_used_at),
        state=key_state(row.expires_at, row.revoked_at, row.accepted_until, now_ms),
        replaced_by=row.replaced_by,
        accepted_until=rfc3339_or_none(row.accepted_until),
    )


def key_state(
    expires_at: int | None, revoked_at: int | None, accepted_until: int | None, now_ms: int
) -> KeyState:
    """What a key is at this instant; it is nowhere stored."""
    if revoked_at is not None or (accepted_until is not None and accepted_until <= now_ms):
        return "revoked"
    return "expired" if expires_at is not None and expires_at <= now_ms else "active"
