"""API keys: made, listed, found by the fingerprint of their secret, revoked."""

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol

from sqlalchemy import Connection, and_, bindparam, insert, or_, select, update

from messenger_core.errors import (
    ApiKeyExpired,
    ApiKeyRevoked,
    KeyNotFound,
    MessengerError,
)
from messenger_core.ids import agent_address, new_key_id
from messenger_core.schema import api_key
from messenger_core.times import rfc3339, rfc3339_or_none
from messenger_core.wire.access import CreatedKey, Key, KeyState, NewKey
from messenger_server.database import Batch, Database, Lookup

_SECRET_BYTES: Final = 32
"""43 characters in URL-safe base64."""
_START_CHARS: Final = 7
_END_CHARS: Final = 4
_DAY_MS: Final = 24 * 3600 * 1000


class KeyRow(NamedTuple):
    """A key as the check of a request needs it; instants in milliseconds since 1970."""

    id: int
    public_id: str
    name: str
    agent_name: str | None
    """None: it opens every mailbox."""
    agent_description: str | None
    can_send: bool
    expires_at: int | None
    revoked_at: int | None
    accepted_until: int | None
    last_used_at: int | None


_KEY_ROW = (
    api_key.c.id,
    api_key.c.public_id,
    api_key.c.name,
    api_key.c.agent_name,
    api_key.c.agent_description,
    api_key.c.can_send,
    api_key.c.expires_at,
    api_key.c.revoked_at,
    api_key.c.accepted_until,
    api_key.c.last_used_at,
)


def _key_row(columns: tuple[Any, ...]) -> KeyRow:  # Any: as the driver gives them
    return KeyRow._make((*columns[:5], bool(columns[5]), *columns[6:]))


_FIND: Final = Lookup(
    _key_row,
    select(*_KEY_ROW).where(api_key.c.fingerprint == bindparam("fingerprint")),
    "fingerprint",
)
_is_living = and_(
    api_key.c.revoked_at.is_(None),
    or_(api_key.c.expires_at.is_(None), api_key.c.expires_at > bindparam("now_ms")),
    or_(api_key.c.accepted_until.is_(None), api_key.c.accepted_until > bindparam("now_ms")),
)
_OWNER_OF_SLUG: Final = (
    select(api_key.c.agent_name)
    .where(api_key.c.agent_slug == bindparam("slug"), _is_living)
    .order_by(api_key.c.id)
    .limit(1)
)
_replacement = api_key.alias("replacement")
_KEYS: Final = select(
    api_key.c.public_id,
    api_key.c.name,
    api_key.c.start,
    api_key.c.end,
    api_key.c.agent_name,
    api_key.c.agent_description,
    api_key.c.can_send,
    api_key.c.vendor,
    api_key.c.relay,
    api_key.c.created_at,
    api_key.c.expires_at,
    api_key.c.last_used_at,
    api_key.c.revoked_at,
    api_key.c.accepted_until,
    _replacement.c.public_id.label("replaced_by"),
).select_from(api_key.outerjoin(_replacement, _replacement.c.id == api_key.c.replaced_by_id))
_ALL_KEYS: Final = _KEYS.order_by(api_key.c.id.desc())
_ONE_KEY: Final = _KEYS.where(api_key.c.public_id == bindparam("public_id"))
_INSERT: Final = insert(api_key)
_DROP_RELAY: Final = update(api_key).where(api_key.c.relay).values(relay=False)
_REVOKE: Final = (
    update(api_key)
    .where(api_key.c.public_id == bindparam("of"), api_key.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("now_ms"))
)
_TOUCH: Final = (
    update(api_key).where(api_key.c.id == bindparam("of")).values(last_used_at=bindparam("at"))
)


class _StoredKey(NamedTuple):
    """The columns of `_KEYS`, in their order."""

    public_id: str
    name: str
    start: str
    end: str
    agent_name: str | None
    agent_description: str | None
    can_send: bool
    vendor: str | None
    relay: bool
    created_at: int
    expires_at: int | None
    last_used_at: int | None
    revoked_at: int | None
    accepted_until: int | None
    replaced_by: str | None


def fingerprint(secret: str) -> str:
    """What the base keeps of a key's secret: its SHA-256, in hexadecimal."""
    return sha256(secret.encode()).hexdigest()


async def find_key(database: Database, of_secret: str) -> KeyRow | None:
    """The key with this fingerprint, whatever its state."""
    return await database.lookup(_FIND, of_secret)


def key_with(connection: Connection, of_secret: str) -> KeyRow | None:
    """The same, on a connection."""
    return _FIND.first(connection, of_secret)


class Lifetime(Protocol):
    """How long a key is good; instants in milliseconds since 1970."""

    @property
    def expires_at(self) -> int | None:
        """When it expires by itself."""

    @property
    def revoked_at(self) -> int | None:
        """When somebody revoked it."""

    @property
    def accepted_until(self) -> int | None:
        """Until when it is good although another replaced it."""


def refusal_of(key: Lifetime, now_ms: int) -> MessengerError | None:
    """Why a key opens nothing at this instant; `None` while it is good."""
    state = _state(key.expires_at, key.revoked_at, key.accepted_until, now_ms)
    if state == "revoked":
        return ApiKeyRevoked()
    return ApiKeyExpired() if state == "expired" else None


def owner_of_slug(connection: Connection, slug: str, now_ms: int) -> str | None:
    """The agent for whose keys an address is reserved; `None`: it is nobody's.

    Where two agents' names give one slug, it belongs to the one whose living key is older.
    """
    return connection.execute(_OWNER_OF_SLUG, {"slug": slug, "now_ms": now_ms}).scalar()


def create_key(batch: Batch, wanted: NewKey) -> CreatedKey:
    """Makes a key; the only place that ever holds its secret in clear."""
    secret = "mk_" + secrets.token_urlsafe(_SECRET_BYTES)
    public_id = new_key_id()
    days = wanted.lifetime_days
    if wanted.relay:
        batch.connection.execute(_DROP_RELAY)  # one relay at a time
    batch.connection.execute(
        _INSERT,
        {
            "public_id": public_id,
            "name": wanted.name,
            "fingerprint": fingerprint(secret),
            "start": secret[:_START_CHARS],
            "end": secret[-_END_CHARS:],
            "agent_name": wanted.agent_name,
            "agent_slug": wanted.agent_name and (agent_address(wanted.agent_name) or None),
            "agent_description": wanted.agent_description or None,
            "can_send": wanted.can_send,
            "vendor": wanted.vendor,
            "relay": wanted.relay,
            "lifetime_days": days,
            "created_at": batch.now_ms,
            "expires_at": None if days is None else batch.now_ms + days * _DAY_MS,
        },
    )
    return CreatedKey(key=_one_key(batch.connection, public_id, batch.now_ms), secret=secret)


def list_keys(connection: Connection, now_ms: int) -> list[Key]:
    """Every key, newest first."""
    return [_key(_StoredKey._make(row), now_ms) for row in connection.execute(_ALL_KEYS)]


def revoke_key(batch: Batch, public_id: str) -> Key:
    """Makes a key good for nothing from now on; one that already is stays as it is.

    Raises:
        KeyNotFound: there is no such key.
    """
    key = _one_key(batch.connection, public_id, batch.now_ms)
    if key.state == "revoked":
        return key
    batch.connection.execute(_REVOKE, {"of": public_id, "now_ms": batch.now_ms})
    return _one_key(batch.connection, public_id, batch.now_ms)


def touch_keys(batch: Batch, last_used_ms_by_key: Mapping[int, int]) -> None:
    """Writes when keys were last used (milliseconds since 1970, by internal id)."""
    rows = [{"of": key_id, "at": at} for key_id, at in last_used_ms_by_key.items()]
    if rows:
        batch.connection.execute(_TOUCH, rows)


def _one_key(connection: Connection, public_id: str, now_ms: int) -> Key:
    row = connection.execute(_ONE_KEY, {"public_id": public_id}).first()
    if row is None:
        raise KeyNotFound(f"There is no API key {public_id}.")
    return _key(_StoredKey._make(row), now_ms)


def _key(row: _StoredKey, now_ms: int) -> Key:
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
        state=_state(row.expires_at, row.revoked_at, row.accepted_until, now_ms),
        replaced_by=row.replaced_by,
        accepted_until=rfc3339_or_none(row.accepted_until),
    )


def _state(
    expires_at: int | None, revoked_at: int | None, accepted_until: int | None, now_ms: int
) -> KeyState:
    if revoked_at is not None or (accepted_until is not None and accepted_until <= now_ms):
        return "revoked"
    return "expired" if expires_at is not None and expires_at <= now_ms else "active"
