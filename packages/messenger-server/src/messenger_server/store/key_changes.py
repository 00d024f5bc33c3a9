"""What becomes of an API key after it was made: changed, extended, replaced."""

from typing import Final

from msgspec import UNSET, structs
from sqlalchemy import Connection, bindparam, false, select, update

from messenger_core.errors import KeyRevoked
from messenger_core.limits import KEY_OVERLAP_SECONDS
from messenger_core.schema import api_key, mailbox
from messenger_core.wire.access import ChangeKey, CreatedKey, Key, KeyDetail
from messenger_server.database import Batch
from messenger_server.store.cards import CARD, CardRow, mailbox_card
from messenger_server.store.key_cards import StoredKey, key_card, key_state, one_key, stored_key
from messenger_server.store.keys import DAY_MS, drop_relay, insert_key
from messenger_server.store.mailboxes import renamed

_LATEST_MS: Final = 253_402_300_799_999
"""The last instant that the wire's form of time can tell: the year 9999 ends."""

_MAILBOXES: Final = (
    select(*CARD)
    .where(mailbox.c.api_key_id == bindparam("key"), mailbox.c.deleted_at.is_(None))
    .order_by(mailbox.c.last_seen_at.desc(), mailbox.c.id.desc())
)
_CHANGE: Final = (
    update(api_key)
    .where(api_key.c.id == bindparam("of"))
    .values(
        name=bindparam("new_name"),
        agent_description=bindparam("new_description"),
        can_send=bindparam("new_can_send"),
        relay=bindparam("new_relay"),
    )
)
_CARRY_DESCRIPTION: Final = (
    update(mailbox)
    .where(mailbox.c.api_key_id == bindparam("key"), mailbox.c.deleted_at.is_(None))
    .values(agent_description=bindparam("new_description"))
)
_EXTEND: Final = (
    update(api_key)
    .where(api_key.c.id == bindparam("of"))
    .values(expires_at=bindparam("until"), lifetime_days=bindparam("days"))
)
_REPLACE: Final = (
    update(api_key)
    .where(api_key.c.id == bindparam("of"))
    .values(
        replaced_by_id=select(api_key.c.id)
        .where(api_key.c.public_id == bindparam("by"))
        .scalar_subquery(),
        accepted_until=bindparam("until"),
        relay=false(),
    )
)
_MOVE_MAILBOXES: Final = (
    update(mailbox)
    .where(mailbox.c.api_key_id == bindparam("key"))
    .values(
        api_key_id=select(api_key.c.id)
        .where(api_key.c.public_id == bindparam("to"))
        .scalar_subquery()
    )
)


def show_key(connection: Connection, public_id: str, now_ms: int) -> KeyDetail:
    """A key with the mailboxes that it registered last, the latest first.

    Raises:
        KeyNotFound: there is no such key.
    """
    found = stored_key(connection, public_id)
    rows = connection.execute(_MAILBOXES, {"key": found.id})
    cards = [mailbox_card(CardRow._make(row), linked=False) for row in rows]
    return KeyDetail(mailboxes=cards, **structs.asdict(key_card(found, now_ms)))


def change_key(batch: Batch, public_id: str, wanted: ChangeKey) -> Key:
    """Changes what a key is called and may do.

    Raises:
        KeyNotFound: there is no such key.
        KeyRevoked: it should become the relay and is good no longer.
    """
    found = stored_key(batch.connection, public_id)
    if wanted.relay is True:
        _refuse_revoked(found, batch.now_ms)
        drop_relay(batch)
    description = renamed(found.agent_description, wanted.agent_description)
    batch.connection.execute(
        _CHANGE,
        {
            "of": found.id,
            "new_name": found.name if wanted.name is UNSET else wanted.name,
            "new_description": description,
            "new_can_send": found.can_send if wanted.can_send is UNSET else wanted.can_send,
            "new_relay": found.relay if wanted.relay is UNSET else wanted.relay,
        },
    )
    # Mailboxes of a key for all agents have descriptions of their own.
    if wanted.agent_description is not UNSET and found.agent_name is not None:
        batch.connection.execute(
            _CARRY_DESCRIPTION, {"key": found.id, "new_description": description}
        )
    return one_key(batch.connection, public_id, batch.now_ms)


def extend_key(batch: Batch, public_id: str, days: int | None) -> Key:
    """Makes a key good for so many days more, counted from the later of now and its expiry.

    `None` makes it good for ever. An expired key is good again; one that never expires stays so.

    Raises:
        KeyNotFound: there is no such key.
        KeyRevoked: it was revoked, or another one replaced it.
    """
    found = stored_key(batch.connection, public_id)
    _refuse_replaced(found)
    _refuse_revoked(found, batch.now_ms)
    if days is None or found.expires_at is None:
        until, lifetime = None, None
    else:
        until = min(max(batch.now_ms, found.expires_at) + days * DAY_MS, _LATEST_MS)
        lifetime = found.lifetime_days
    batch.connection.execute(_EXTEND, {"of": found.id, "until": until, "days": lifetime})
    return one_key(batch.connection, public_id, batch.now_ms)


def rotate_key(batch: Batch, public_id: str) -> CreatedKey:
    """Makes a key like this one, which stays good for a day at most; its mailboxes move.

    Raises:
        KeyNotFound: there is no such key.
        KeyRevoked: it was revoked or replaced already.
    """
    found = stored_key(batch.connection, public_id)
    _refuse_replaced(found)
    _refuse_revoked(found, batch.now_ms)
    created = insert_key(
        batch,
        {
            "name": found.name,
            "agent_name": found.agent_name,
            "agent_description": found.agent_description,
            "can_send": found.can_send,
            "vendor": found.vendor,
            "relay": found.relay,
            "lifetime_days": found.lifetime_days,
        },
    )
    until = batch.now_ms + KEY_OVERLAP_SECONDS * 1000
    if found.expires_at is not None:
        until = min(until, found.expires_at)
    batch.connection.execute(_REPLACE, {"of": found.id, "by": created.key.id, "until": until})
    batch.connection.execute(_MOVE_MAILBOXES, {"key": found.id, "to": created.key.id})
    return created


def _refuse_replaced(key: StoredKey) -> None:
    if key.replaced_by is not None:
        raise KeyRevoked(f"The API key {key.public_id} was replaced: use {key.replaced_by}.")


def _refuse_revoked(key: StoredKey, now_ms: int) -> None:
    if key_state(key.expires_at, key.revoked_at, key.accepted_until, now_ms) == "revoked":
        raise KeyRevoked(f"The API key {key.public_id} was revoked: make a new one.")
