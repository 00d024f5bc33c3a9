"""API keys: made, found by the fingerprint of their secret, revoked."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol, TypedDict

from sqlalchemy import Connection, and_, bindparam, insert, or_, select, update

from messenger_core.blank import unless_blank
from messenger_core.errors import ApiKeyExpired, ApiKeyRevoked, MessengerError
from messenger_core.ids import agent_address, new_key_id
from messenger_core.schema import api_key
from messenger_core.wire.access import CreatedKey, Key, NewKey
from messenger_server.database import Batch, Database, Lookup
from messenger_server.store.fingerprints import fingerprint, new_secret
from messenger_server.store.key_cards import key_state, one_key

_START_CHARS: Final = 7
_END_CHARS: Final = 4
DAY_MS: Final = 24 * 3600 * 1000


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
_replaced = api_key.alias("replaced")
_SUCCESSOR: Final = (
    select(*_KEY_ROW)
    .select_from(api_key.join(_replaced, _replaced.c.replaced_by_id == api_key.c.id))
    .where(_replaced.c.id == bindparam("of"))
)
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


async def find_key(database: Database, of_secret: str) -> KeyRow | None:
    """The key with this fingerprint, whatever its state."""
    return await database.lookup(_FIND, of_secret)


def key_with(connection: Connection, of_secret: str) -> KeyRow | None:
    """The same, on a connection."""
    return _FIND.first(connection, of_secret)


def newest_of(connection: Connection, key: KeyRow) -> KeyRow:
    """What stands for a key now: itself, or the last that replaced it and is not revoked."""
    newest = key
    while key.accepted_until is not None:
        row = connection.execute(_SUCCESSOR, {"of": key.id}).one_or_none()
        if row is None:
            break
        key = _key_row(tuple(row))
        if key.revoked_at is None:  # one revoked between two others does not end the chain
            newest = key
    return newest


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
    state = key_state(key.expires_at, key.revoked_at, key.accepted_until, now_ms)
    if state == "revoked":
        return ApiKeyRevoked()
    return ApiKeyExpired() if state == "expired" else None


def owner_of_slug(connection: Connection, slug: str, now_ms: int) -> str | None:
    """The agent for whose keys an address is reserved; `None`: it is nobody's.

    Where two agents' names give one slug, it belongs to the one whose living key is older.
    """
    return connection.execute(_OWNER_OF_SLUG, {"slug": slug, "now_ms": now_ms}).scalar()


def create_key(batch: Batch, wanted: NewKey) -> CreatedKey:
    """Makes a key."""
    return insert_key(
        batch,
        {
            "name": wanted.name,
            "agent_name": wanted.agent_name,
            "agent_description": unless_blank(wanted.agent_description),
            "can_send": wanted.can_send,
            "vendor": wanted.vendor,
            "relay": wanted.relay,
            "lifetime_days": wanted.lifetime_days,
        },
    )


class KeySettings(TypedDict):
    """What a person chooses of a key."""

    name: str
    agent_name: str | None
    agent_description: str | None
    can_send: bool
    vendor: str | None
    relay: bool
    lifetime_days: int | None


def insert_key(batch: Batch, settings: KeySettings) -> CreatedKey:
    """Makes a key of these settings; the only place that ever holds its secret in clear."""
    secret = f"mk_{new_secret()}"
    public_id = new_key_id()
    agent_name, days = settings["agent_name"], settings["lifetime_days"]
    if settings["relay"]:
        drop_relay(batch)
    batch.connection.execute(
        _INSERT,
        {
            **settings,
            "public_id": public_id,
            "fingerprint": fingerprint(secret),
            "start": secret[:_START_CHARS],
            "end": secret[-_END_CHARS:],
            "agent_slug": agent_name and (agent_address(agent_name) or None),
            "created_at": batch.now_ms,
            "expires_at": None if days is None else batch.now_ms + days * DAY_MS,
        },
    )
    return CreatedKey(key=one_key(batch.connection, public_id, batch.now_ms), secret=secret)


def drop_relay(batch: Batch) -> None:
    """Makes no key the relay: there is one at a time."""
    batch.connection.execute(_DROP_RELAY)


def revoke_key(batch: Batch, public_id: str) -> Key:
    """Makes a key good for nothing from now on; one that already is stays as it is.

    Raises:
        KeyNotFound: there is no such key.
    """
    key = one_key(batch.connection, public_id, batch.now_ms)
    if key.state == "revoked":
        return key
    batch.connection.execute(_REVOKE, {"of": public_id, "now_ms": batch.now_ms})
    return one_key(batch.connection, public_id, batch.now_ms)


def touch_keys(batch: Batch, last_used_ms_by_key: Mapping[int, int]) -> None:
    """Writes when keys were last used (milliseconds since 1970, by internal id)."""
    rows = [{"of": key_id, "at": at} for key_id, at in last_used_ms_by_key.items()]
    if rows:
        batch.connection.execute(_TOUCH, rows)
