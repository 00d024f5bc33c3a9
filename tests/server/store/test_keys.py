"""API keys: what is kept of them, and when they are good."""

import re

import pytest
from sqlalchemy import select

from messenger_core import schema
from messenger_core.errors import ApiKeyExpired, ApiKeyRevoked, KeyNotFound
from messenger_core.times import rfc3339
from messenger_core.wire.access import NewKey
from messenger_server.store.fingerprints import fingerprint
from messenger_server.store.key_cards import list_keys
from messenger_server.store.keys import (
    create_key,
    key_with,
    refusal_of,
    revoke_key,
    touch_keys,
)
from support.post_office import PostOffice

_DAY_MS = 24 * 3600 * 1000


def _wanted(name: str = "k", **fields: object) -> NewKey:
    values: dict[str, object] = {"agent_name": None, "lifetime_days": None, **fields}
    return NewKey(name=name, **values)  # type: ignore[arg-type]  # each value is of its field's type


def test_a_secret_is_given_once_and_kept_as_a_fingerprint(office: PostOffice) -> None:
    created = office.write(create_key, _wanted())
    assert re.fullmatch(r"mk_[A-Za-z0-9_-]{43}", created.secret)
    assert (created.key.start, created.key.end) == (created.secret[:7], created.secret[-4:])
    rows = office.read(lambda connection: connection.execute(select(schema.api_key)).all())
    assert created.secret not in repr(rows)
    found = office.read(key_with, fingerprint(created.secret))
    assert found is not None
    assert (found.public_id, found.name, found.can_send) == (created.key.id, "k", True)
    assert office.read(key_with, fingerprint(created.secret + "x")) is None


def test_keys_are_listed_newest_first_with_what_they_are(office: PostOffice) -> None:
    first = office.write(create_key, _wanted("one", lifetime_days=1))
    second = office.write(
        create_key,
        _wanted("two", agent_name="Bob", agent_description="", can_send=False, vendor="grok"),
    )
    listed = office.read(list_keys, office.now_ms)
    assert listed == [second.key, first.key]
    assert (second.key.agent_name, second.key.agent_description) == ("Bob", None)
    assert (second.key.can_send, second.key.vendor, second.key.relay) == (False, "grok", False)
    assert first.key.expires_at == rfc3339(office.now_ms - 1000 + _DAY_MS)
    assert (first.key.state, first.key.last_used_at) == ("active", None)


def test_one_key_is_the_relay_at_a_time(office: PostOffice) -> None:
    office.write(create_key, _wanted("one", relay=True))
    office.write(create_key, _wanted("two", relay=True))
    assert [key.relay for key in office.read(list_keys, office.now_ms)] == [True, False]


def test_a_key_expires_to_the_millisecond(office: PostOffice) -> None:
    key = office.key()
    assert refusal_of(key, 2**60) is None
    expiring = key._replace(expires_at=1000)
    assert refusal_of(expiring, 999) is None
    assert isinstance(refusal_of(expiring, 1000), ApiKeyExpired)


def test_a_replaced_key_counts_as_revoked_when_its_time_is_over(office: PostOffice) -> None:
    replaced = office.key()._replace(accepted_until=1000)
    assert refusal_of(replaced, 999) is None
    assert isinstance(refusal_of(replaced, 1000), ApiKeyRevoked)
    assert isinstance(refusal_of(replaced._replace(expires_at=5), 1000), ApiKeyRevoked)


def test_a_revoked_key_is_good_for_nothing_any_more(office: PostOffice) -> None:
    created = office.write(create_key, _wanted())
    revoked = office.write(revoke_key, created.key.id)
    assert revoked.state == "revoked"
    found = office.read(key_with, fingerprint(created.secret))
    assert found is not None
    assert found.revoked_at == office.now_ms
    assert isinstance(refusal_of(found, office.now_ms), ApiKeyRevoked)
    # Once more changes nothing.
    assert office.write(revoke_key, created.key.id) == revoked
    assert office.read(key_with, fingerprint(created.secret)) == found
    with pytest.raises(KeyNotFound):
        office.write(revoke_key, "key_0123456789abcdef")


def test_the_last_use_is_written(office: PostOffice) -> None:
    key = office.key()
    office.write(touch_keys, {key.id: 5, 999: 6})
    office.write(touch_keys, {})
    assert office.read(list_keys, 0)[0].last_used_at == rfc3339(5)
