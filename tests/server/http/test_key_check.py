"""Who is calling: the key first, then the mailbox."""

from collections.abc import Awaitable
from typing import Final

import httpx2
import pytest
from sqlalchemy import insert

from messenger_core.schema import claimed_name
from messenger_server.auth.last_use import LastUse
from messenger_server.database import Batch
from messenger_server.store.key_cards import list_keys
from support.app import RunningApp, until

_PATHS: Final = ("/health", "/api", "/api/mailbox", "/api/nothing/here", "/api/openapi.json")


def _code(answer: httpx2.Response) -> str:
    return f"{answer.status_code} {answer.json()['code']}"


@pytest.mark.parametrize("path", _PATHS)
async def test_a_request_without_a_key_is_refused_before_anything_else(
    app: RunningApp, path: str
) -> None:
    answer = await app.client.get(path, headers={"X-Agent-Id": "not an address"})

    assert _code(answer) == "401 api_key_missing"
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer mk_nobody"},
        {"Authorization": "bearer mk_nobody"},
        {"X-Messenger-Token": "mk_nobody"},
        {"Authorization": "Basic bWtfbm9ib2R5", "X-Messenger-Token": "mk_nobody"},
        {"Authorization": "Bearer " + "x" * 10_000},
        {"Authorization": "Bearer ké".encode("latin-1")},
    ],
)
async def test_a_key_that_the_server_never_made_is_unknown(
    app: RunningApp, headers: dict[str, str]
) -> None:
    answer = await app.client.get("/api/mailbox", headers=headers)

    assert _code(answer) == "401 api_key_unknown"
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer ", "Basic bWtfbm9ib2R5", "mk_nobody"])
async def test_a_header_that_carries_no_key_counts_as_none(app: RunningApp, value: str) -> None:
    answer = await app.client.get("/api/mailbox", headers={"Authorization": value})

    assert _code(answer) == "401 api_key_missing"


async def test_a_key_in_the_url_opens_nothing(app: RunningApp) -> None:
    key = await app.create_key()

    answer = await app.client.get("/health", params={"key": key, "token": key})

    assert _code(answer) == "401 api_key_missing"


async def test_both_headers_carry_a_key(app: RunningApp) -> None:
    alice = await app.agent("alice")

    by_token = await app.client.get(
        "/api/mailbox", headers={"X-Messenger-Token": alice.key, "X-Agent-Id": "alice"}
    )

    assert by_token.status_code == 200
    assert (await alice.get("/api/mailbox")).status_code == 200


async def test_a_revoked_key_is_refused_on_the_next_call(app: RunningApp) -> None:
    alice = await app.agent("alice", key=await app.create_key("mine"))
    assert (await alice.get("/api/mailbox")).status_code == 200

    await app.revoke_key("mine")

    answer = await alice.get("/api/mailbox")
    assert _code(answer) == "401 api_key_revoked"
    assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_an_expired_key_is_refused_on_the_next_call(app: RunningApp) -> None:
    alice = await app.agent("alice", key=await app.create_key(days=1))

    app.clock.advance(24 * 3600 - 1)
    assert (await alice.get("/api/mailbox")).status_code == 200
    app.clock.advance(1)

    assert _code(await alice.get("/api/mailbox")) == "401 api_key_expired"


async def test_health_needs_a_key_and_no_mailbox(app: RunningApp) -> None:
    caller = app.stranger(await app.create_key())
    app.clock.advance(90)

    answer = await caller.get("/health")

    assert answer.json() == {
        "status": "ok",
        "version": "0.1.0",
        "database": {"kind": "sqlite", "revision": app.database.revision},
        "uptime_seconds": 90,
    }


async def test_a_request_that_names_no_mailbox_is_told_how(app: RunningApp) -> None:
    caller = app.stranger(await app.create_key())

    answer = await caller.get("/api/mailbox")

    assert _code(answer) == "400 agent_id_missing"
    assert "X-Agent-Id" in answer.json()["detail"]


@pytest.mark.parametrize("named", ["box_123", "Alice", "a b", "box_XYZ", "x" * 65, "-a"])
async def test_a_mailbox_whose_name_has_no_form_of_an_address_is_invalid(
    app: RunningApp, named: str
) -> None:
    caller = app.stranger(await app.create_key())

    answer = await caller.ask("GET", "/api/mailbox", headers={"X-Agent-Id": named})

    assert _code(answer) == "400 agent_id_invalid"


async def test_a_mailbox_that_nobody_registered_is_told_so(app: RunningApp) -> None:
    alice = await app.agent("alice")
    by_mail = app.stranger(alice.key, "later")
    await alice.send(by_mail)

    for caller in (app.stranger(alice.key, "nobody"), by_mail):
        answer = await caller.get("/api/mailbox")
        assert _code(answer) == "404 mailbox_not_registered"
        assert "/api/agents/register" in answer.json()["detail"]


async def test_a_bound_key_opens_the_mailboxes_of_its_own_agent_alone(app: RunningApp) -> None:
    red, blue = await app.create_key("r", agent="red"), await app.create_key("b", agent="blue")
    box = await app.agent(key=red)
    free = await app.agent("free")

    assert (await app.stranger(red, box.address).get("/api/mailbox")).status_code == 200
    for key, address in ((blue, box.address), (blue, free.address)):
        answer = await app.stranger(key, address).get("/api/mailbox")
        assert _code(answer) == "403 mailbox_not_yours"
    assert (await app.stranger(free.key, box.address).get("/api/mailbox")).status_code == 200


async def test_a_claimed_name_opens_its_mailbox_like_an_address(app: RunningApp) -> None:
    bob = await app.agent("bob")

    def claim(batch: Batch) -> None:
        row = {"slug": "helper", "name": "Helper", "mailbox_id": 1, "agent_name": "a"}
        batch.connection.execute(
            insert(claimed_name), [{**row, "created_at": 1, "last_seen_at": 1}]
        )

    await app.database.write(claim)

    by_name = await app.stranger(bob.key, "helper").get("/api/mailbox")
    assert by_name.json()["mailbox"]["id"] == "bob"


async def test_a_path_with_doubled_slashes_needs_a_key_like_any_other(app: RunningApp) -> None:
    for path in ("/api//mailbox", "/api/mailbox/", "/%61pi/mailbox"):
        answer = await app.client.get(path)
        assert _code(answer) == "401 api_key_missing", path


async def test_the_last_use_of_a_key_is_written_behind_its_requests(app: RunningApp) -> None:
    alice = await app.agent("alice")

    async def last_use() -> str | None:
        (key,) = await app.database.read(list_keys, app.clock.now_ms())
        return key.last_used_at

    await until(lambda: _is_not_none(last_use()))
    first = await last_use()
    app.clock.advance(60)
    await alice.get("/health")
    await until(lambda: _differs(last_use(), first))


def test_uses_within_a_minute_of_the_last_one_are_not_written() -> None:
    use = LastUse()

    use.note(7, 1_000_000, 1_059_999)
    assert use.take() == {}
    use.note(7, 1_000_000, 1_060_000)
    use.note(8, None, 1_000_001)
    assert use.take() == {7: 1_060_000, 8: 1_000_001}
    assert use.take() == {}


async def _is_not_none(value: Awaitable[object]) -> bool:
    return await value is not None


async def _differs(value: Awaitable[object], other: object) -> bool:
    return await value != other
