"""Promise 2: an active key on every agent request; and a key's whole life in the console."""

import asyncio
from typing import Any, Final

import pytest

from messenger_core.times import parse_rfc3339
from messenger_server.clock import Clock
from support.app import RunningApp, until
from support.browser import Browser
from support.problems import assert_problem

_DAY: Final = 24 * 3600

Json = dict[str, Any]  # Any: a JSON document


async def _create(owner: Browser, name: str = "k", **fields: object) -> Json:
    body = {"name": name, "agent_name": None, "lifetime_days": None, **fields}
    return await owner.done("POST", "/admin/keys", body)


async def _opens(app: RunningApp, created: Json) -> int | str:
    """200, or the code of the refusal."""
    answer = await app.stranger(created["secret"]).get("/health")
    code: str = answer.json().get("code", "")
    return code or answer.status_code


async def _show(owner: Browser, created: Json) -> Json:
    return await owner.done("GET", f"/admin/keys/{created['key']['id']}")


async def _act(owner: Browser, created: Json, act: str, body: object = None) -> Json:
    return await owner.done("POST", f"/admin/keys/{created['key']['id']}/{act}", body)


def _seconds_between(earlier: str, later: str) -> float:
    return (parse_rfc3339(later) - parse_rfc3339(earlier)).total_seconds()


async def test_a_secret_is_shown_once_and_the_key_by_its_start_and_end(owner: Browser) -> None:
    created = await _create(
        owner,
        "Reader",
        agent_name="Planner",
        agent_description="plans",
        lifetime_days=10,
        can_send=False,
        vendor="codex",
    )

    assert set(created) == {"key", "secret"}
    key, secret = created["key"], created["secret"]
    assert list(key) == [
        *("id", "name", "start", "end", "agent_name", "agent_description", "can_send", "vendor"),
        *("relay", "created_at", "expires_at", "last_used_at", "state", "replaced_by"),
        "accepted_until",
    ]
    assert len(secret) == 46
    assert (key["start"], key["end"]) == (secret[:7], secret[-4:])
    assert (key["agent_name"], key["can_send"], key["vendor"]) == ("Planner", False, "codex")
    assert _seconds_between(key["created_at"], key["expires_at"]) == 10 * _DAY
    listed = await owner.get("/admin/keys")
    assert listed.json() == {"keys": [key]}
    shown = await owner.get(f"/admin/keys/{key['id']}")
    assert shown.json() == {**key, "mailboxes": []}
    assert secret not in listed.text + shown.text


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "n" * 121),
        ("agent_name", ""),
        ("agent_name", "a" * 121),
        ("lifetime_days", 0),
        ("lifetime_days", 3651),
        ("lifetime_days", 1.5),
        ("vendor", "v" * 41),
        ("agent_description", "d" * 1001),
        ("can_send", None),
    ],
)
async def test_values_beyond_their_limits_are_refused(
    owner: Browser, field: str, value: object
) -> None:
    body = {"name": "k", "agent_name": None, "lifetime_days": None, field: value}

    problem = assert_problem(await owner.post("/admin/keys", body), 400, "invalid_request")

    assert problem["errors"][0]["field"] == field
    assert (await owner.done("GET", "/admin/keys"))["keys"] == []


async def test_the_longest_and_the_shortest_lifetime(owner: Browser) -> None:
    for days in (1, 3650):
        key = (await _create(owner, lifetime_days=days))["key"]
        assert _seconds_between(key["created_at"], key["expires_at"]) == days * _DAY
    assert (await _create(owner))["key"]["expires_at"] is None


async def test_promise_2_a_key_opens_until_it_expires_or_is_revoked(
    owner: Browser, app: RunningApp
) -> None:
    short, long = await _create(owner, lifetime_days=1), await _create(owner)
    app.clock.advance(_DAY - 1)
    await owner.sign_in()
    assert (await _opens(app, short), await _opens(app, long)) == (200, 200)

    app.clock.advance(1)
    revoked = await _act(owner, long, "revoke")

    assert await _opens(app, short) == "api_key_expired"
    assert await _opens(app, long) == "api_key_revoked"
    assert revoked["state"] == "revoked"
    assert (await _show(owner, short))["state"] == "expired"
    assert await _act(owner, long, "revoke") == revoked


async def test_promise_2_revoking_ends_the_waits_of_that_key_at_once(
    owner: Browser, app: RunningApp
) -> None:
    created, other = await _create(owner), await _create(owner)
    alice = await app.agent("alice", key=created["secret"])
    bob = await app.agent("bob", key=other["secret"])
    wait = asyncio.create_task(alice.get("/api/wait", timeout_seconds=60))
    spared = asyncio.create_task(bob.get("/api/wait", timeout_seconds=60))

    async def both_wait() -> bool:
        return len(app.hub.keys_in_use()) == 2

    await until(both_wait)
    begun = Clock().monotonic()

    await _act(owner, created, "revoke")

    assert_problem(await asyncio.wait_for(wait, 5), 401, "api_key_revoked")
    assert Clock().monotonic() - begun < 0.9, "the tick of a second was needed"
    assert len(app.hub.keys_in_use()) == 1
    app.hub.close()
    assert (await spared).status_code == 200


async def test_an_extension_counts_from_the_expiry(owner: Browser) -> None:
    created = await _create(owner, lifetime_days=5)

    extended = await _act(owner, created, "extend", {"days": 10})

    assert _seconds_between(created["key"]["created_at"], extended["expires_at"]) == 15 * _DAY


async def test_an_expired_key_is_revived_from_now_on(owner: Browser, app: RunningApp) -> None:
    created = await _create(owner, lifetime_days=1)
    app.clock.advance(3 * _DAY)
    await owner.sign_in()
    assert await _opens(app, created) == "api_key_expired"

    extended = await _act(owner, created, "extend", {"days": 1})

    assert extended["state"] == "active"
    assert _seconds_between(created["key"]["created_at"], extended["expires_at"]) == 4 * _DAY
    assert await _opens(app, created) == 200


async def test_an_extension_may_be_for_ever_and_never_shortens(owner: Browser) -> None:
    created = await _create(owner, lifetime_days=1)

    for body in ({"days": None}, {"days": 7}):
        assert (await _act(owner, created, "extend", body))["expires_at"] is None
    assert (await _act(owner, created, "rotate"))["key"]["expires_at"] is None


async def test_a_key_cannot_be_extended_beyond_what_a_time_can_tell(owner: Browser) -> None:
    created = await _create(owner, lifetime_days=3650)

    for _ in range(800):
        await _act(owner, created, "extend", {"days": 3650})

    assert (await _show(owner, created))["expires_at"] == "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize("days", [0, -1, 3651, "7", 1.5])
async def test_a_term_beyond_its_limits_is_refused(owner: Browser, days: object) -> None:
    created = await _create(owner, lifetime_days=1)

    answer = await owner.post(f"/admin/keys/{created['key']['id']}/extend", {"days": days})

    assert_problem(answer, 400, "invalid_request")


async def test_a_rotated_key_has_the_settings_and_the_full_lifetime_of_the_old_one(
    owner: Browser, app: RunningApp
) -> None:
    old = await _create(
        owner, "K", agent_name="Planner", agent_description="plans", lifetime_days=30, relay=True
    )
    mailbox = await app.agent("planner", key=old["secret"])
    app.clock.advance(_DAY / 4)

    new = await _act(owner, old, "rotate")

    settings = ("name", "agent_name", "agent_description", "can_send", "vendor", "relay")
    assert [new["key"][each] for each in settings] == [old["key"][each] for each in settings]
    assert new["secret"] != old["secret"]
    assert _seconds_between(new["key"]["created_at"], new["key"]["expires_at"]) == 30 * _DAY
    replaced = await _show(owner, old)
    assert (replaced["replaced_by"], replaced["relay"]) == (new["key"]["id"], False)
    assert _seconds_between(new["key"]["created_at"], replaced["accepted_until"]) == _DAY
    assert replaced["mailboxes"] == []
    assert [each["id"] for each in (await _show(owner, new))["mailboxes"]] == [mailbox.address]


async def test_promise_2_the_old_key_is_good_for_a_day_then_counts_as_revoked(
    owner: Browser, app: RunningApp
) -> None:
    old = await _create(owner, lifetime_days=30)
    await owner.sign_in(remember=True)
    new = await _act(owner, old, "rotate")

    app.clock.advance(_DAY - 1)
    assert (await _opens(app, old), await _opens(app, new)) == (200, 200)
    assert (await _show(owner, old))["state"] == "active"
    app.clock.advance(1)

    assert (await _opens(app, old), await _opens(app, new)) == ("api_key_revoked", 200)
    assert (await _show(owner, old))["state"] == "revoked"


async def test_what_moved_to_a_new_key_stays_there_when_the_old_one_registers_again(
    owner: Browser, app: RunningApp
) -> None:
    old = await _create(owner, agent_name="Planner", agent_description="one", lifetime_days=30)
    mailbox = await app.agent("planner", key=old["secret"])
    new = await _act(owner, old, "rotate")
    newest = await _act(owner, new, "rotate")
    path = f"/admin/keys/{newest['key']['id']}"
    await owner.done("PATCH", path, {"agent_description": "two"})

    await app.agent("planner", key=old["secret"])

    assert [each["id"] for each in (await _show(owner, newest))["mailboxes"]] == [mailbox.address]
    assert (await _show(owner, newest))["mailboxes"][0]["agent_description"] == "two"


async def test_a_key_revoked_between_two_others_gives_nothing_back_to_the_oldest(
    owner: Browser, app: RunningApp
) -> None:
    old = await _create(owner, agent_name="Planner", lifetime_days=30)
    mailbox = await app.agent("planner", key=old["secret"])
    new = await _act(owner, old, "rotate")
    newest = await _act(owner, new, "rotate")
    await _act(owner, new, "revoke")

    await app.agent("planner", key=old["secret"])

    assert [each["id"] for each in (await _show(owner, newest))["mailboxes"]] == [mailbox.address]
    assert (await _show(owner, old))["mailboxes"] == []


async def test_a_replaced_key_tells_its_agent_when_it_really_ends(
    owner: Browser, app: RunningApp
) -> None:
    old = await _create(owner, agent_name="Planner", lifetime_days=30)
    mailbox = await app.agent("planner", key=old["secret"])

    await _act(owner, old, "rotate")

    told = (await mailbox.get("/api/mailbox")).json()["key"]["expires_at"]
    assert told == (await _show(owner, old))["accepted_until"]


@pytest.mark.parametrize("act", ["rotate", "revoke"])
async def test_what_an_act_does_not_read_is_refused(owner: Browser, act: str) -> None:
    created = await _create(owner, lifetime_days=30)
    path = f"/admin/keys/{created['key']['id']}/{act}"

    problem = assert_problem(await owner.post(path, {"lifetime_days": 1}), 400, "invalid_request")

    assert "lifetime_days" in problem["detail"]
    assert (await owner.ask("POST", path, content=b"{not json")).status_code == 400
    assert (await _show(owner, created))["state"] == "active"
    assert (await owner.post(path, {})).status_code in {200, 201}


async def test_an_old_key_that_expires_sooner_is_good_until_then(
    owner: Browser, app: RunningApp
) -> None:
    old = await _create(owner, lifetime_days=1)
    app.clock.advance(_DAY * 0.4)

    await _act(owner, old, "rotate")

    replaced = await _show(owner, old)
    assert replaced["accepted_until"] == old["key"]["expires_at"]


async def test_a_replaced_key_is_neither_replaced_again_nor_extended(owner: Browser) -> None:
    old = await _create(owner, lifetime_days=30)
    new = await _act(owner, old, "rotate")

    for act, body in (("rotate", None), ("extend", {"days": 1})):
        answer = await owner.post(f"/admin/keys/{old['key']['id']}/{act}", body)
        assert new["key"]["id"] in assert_problem(answer, 409, "key_revoked")["detail"]
    assert len((await owner.done("GET", "/admin/keys"))["keys"]) == 2


async def test_a_revoked_key_is_neither_replaced_nor_extended_nor_made_the_relay(
    owner: Browser,
) -> None:
    created = await _create(owner)
    await _act(owner, created, "revoke")
    path = f"/admin/keys/{created['key']['id']}"

    for method, act, body in (
        ("POST", "/rotate", None),
        ("POST", "/extend", {"days": 1}),
        ("PATCH", "", {"relay": True}),
    ):
        answer = await owner.ask(method, path + act, json=body)
        assert_problem(answer, 409, "key_revoked")
    assert (await owner.done("PATCH", path, {"name": "gone"}))["name"] == "gone"


async def test_one_key_at_a_time_is_the_relay(owner: Browser) -> None:
    first = await _create(owner, relay=True)
    second = await _create(owner, relay=True)
    third = await _create(owner)

    async def relays() -> list[str]:
        keys = (await owner.done("GET", "/admin/keys"))["keys"]
        return [key["id"] for key in keys if key["relay"]]

    assert await relays() == [second["key"]["id"]]
    await owner.done("PATCH", f"/admin/keys/{third['key']['id']}", {"relay": True})
    assert await relays() == [third["key"]["id"]]
    await owner.done("PATCH", f"/admin/keys/{third['key']['id']}", {"relay": False})
    assert await relays() == []
    assert (await _show(owner, first))["relay"] is False


async def test_a_change_touches_what_it_names_alone(owner: Browser, app: RunningApp) -> None:
    created = await _create(owner, "before", agent_name="planner", agent_description="plans")
    path = f"/admin/keys/{created['key']['id']}"

    renamed = await owner.done("PATCH", path, {"name": "after"})
    assert renamed == {**created["key"], "name": "after"}
    read_only = await owner.done("PATCH", path, {"can_send": False})
    assert read_only == {**renamed, "can_send": False}
    assert await owner.done("PATCH", path, {}) == read_only

    alice = await app.agent("planner", key=created["secret"])
    draft = {"to": "bob", "subject": "s", "body": "b"}
    assert_problem(await alice.post("/api/messages", draft), 403, "send_not_allowed")


async def test_a_description_is_carried_to_the_mailboxes_that_the_key_registered_last(
    owner: Browser, app: RunningApp
) -> None:
    first, second = [await _create(owner, agent_name="planner") for _ in range(2)]
    for address, key in (("one", first), ("two", first), ("three", second)):
        await app.agent(address, key=key["secret"])

    async def described(key: Json) -> dict[str, str | None]:
        mailboxes = (await _show(owner, key))["mailboxes"]
        return {each["id"]: each["agent_description"] for each in mailboxes}

    path = f"/admin/keys/{first['key']['id']}"
    await owner.done("PATCH", path, {"agent_description": "plans"})
    assert await described(first) == {"one": "plans", "two": "plans"}
    assert await described(second) == {"three": None}

    await owner.done("PATCH", path, {"agent_description": ""})
    assert await described(first) == {"one": None, "two": None}


async def test_the_mailboxes_of_a_key_for_all_keep_descriptions_of_their_own(
    owner: Browser, app: RunningApp
) -> None:
    created = await _create(owner)
    await app.agent("one", key=created["secret"], agent_name="a", agent_description="its own")

    path = f"/admin/keys/{created['key']['id']}"
    await owner.done("PATCH", path, {"agent_description": "of the key"})

    (mailbox,) = (await _show(owner, created))["mailboxes"]
    assert mailbox["agent_description"] == "its own"


async def test_when_a_key_was_last_used_is_written(owner: Browser, app: RunningApp) -> None:
    created = await _create(owner)
    assert created["key"]["last_used_at"] is None
    await _opens(app, created)

    async def is_known() -> bool:
        return (await _show(owner, created))["last_used_at"] is not None

    await until(is_known)


@pytest.mark.parametrize(
    ("method", "act", "body"),
    [
        ("GET", "", None),
        ("PATCH", "", {"name": "n"}),
        ("POST", "/extend", {"days": 1}),
        ("POST", "/rotate", None),
        ("POST", "/revoke", None),
    ],
)
async def test_a_key_that_is_not_there(owner: Browser, method: str, act: str, body: object) -> None:
    for key_id in ("key_0000000000000000", "x", "key_'; --"):
        answer = await owner.ask(method, f"/admin/keys/{key_id}{act}", json=body)
        assert_problem(answer, 404, "key_not_found")
    assert (await owner.done("GET", "/admin/audit"))["events"][0]["action"] == "signed_in"
