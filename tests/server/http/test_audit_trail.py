"""The audit trail: what was done with the account, by whom, and never a secret."""

from itertools import pairwise
from typing import Any, Final

import pytest

from messenger_core.times import parse_rfc3339
from support.app import RunningApp
from support.browser import PASSWORD, Browser, browser_at
from support.problems import assert_problem

_OTHER_PASSWORD: Final = "another horse, another battery"

Json = dict[str, Any]  # Any: a JSON document


async def _events(owner: Browser, **query: str | int) -> list[Json]:
    events: list[Json] = (await owner.get("/admin/audit", **query)).json()["events"]
    return events


async def _told(owner: Browser, since: int = 0) -> list[tuple[str, str | None]]:
    """What was done to what, oldest first."""
    events = (await _events(owner))[::-1]
    return [(event["action"], event["target"]) for event in events][since:]


async def test_every_act_leaves_its_trace(owner: Browser, app: RunningApp) -> None:
    session = (await owner.done("GET", "/admin/account"))["sessions"][0]["id"]
    assert await _told(owner) == [("account_created", "owner"), ("signed_in", session)]

    created = await owner.done(
        "POST", "/admin/keys", {"name": "k", "agent_name": None, "lifetime_days": 1}
    )
    key = created["key"]["id"]
    await owner.done("PATCH", f"/admin/keys/{key}", {"name": "renamed"})
    await owner.done("POST", f"/admin/keys/{key}/extend", {"days": 1})
    await owner.done("POST", f"/admin/keys/{key}/rotate")
    await owner.done("POST", f"/admin/keys/{key}/revoke")
    await owner.done("PATCH", "/admin/account", {"username": "owner"})
    change = {"current_password": "wrong", "new_password": _OTHER_PASSWORD}
    await owner.post("/admin/account/password", change)
    await owner.done("POST", "/admin/account/password", {**change, "current_password": PASSWORD})
    await owner.done("POST", "/admin/account/sessions/revoke-others")

    assert await _told(owner, 2) == [
        ("key_created", key),
        ("key_changed", key),
        ("key_extended", key),
        ("key_rotated", key),
        ("key_revoked", key),
        ("account_renamed", "owner"),
        ("password_refused", None),
        ("password_changed", None),
        ("other_sessions_closed", None),
    ]
    assert {event["session"] for event in await _events(owner)} == {session}
    assert {event["address"] for event in await _events(owner)} == {"127.0.0.1"}
    assert {tuple(event) for event in await _events(owner)} == {
        ("at", "action", "target", "session", "address")
    }


async def test_sign_ins_and_refusals_are_told_without_what_was_typed(
    owner: Browser, app: RunningApp
) -> None:
    async with browser_at(app) as other:
        await other.sign_in("wrong", username="a password in the wrong field")
        await other.sign_in()
        session = (await other.done("GET", "/admin/account"))["sessions"][0]["id"]
        await other.post("/ui/logout")

    refused, entered, left = (await _events(owner))[:3][::-1]
    assert (refused["action"], refused["target"], refused["session"]) == (
        *("sign_in_refused", None),
        None,
    )
    assert (entered["action"], entered["session"]) == ("signed_in", session)
    assert (left["action"], left["target"], left["session"]) == ("signed_out", session, session)


async def test_a_refused_setup_is_told(app: RunningApp) -> None:
    async with browser_at(app) as browser:
        body = {"code": "wrong", "username": "owner", "password": PASSWORD}
        await browser.post("/ui/setup", body)
        await browser.post("/ui/setup", {**body, "code": app.setup_code})

        actions = [action for action, _ in await _told(browser)]

    assert actions == ["setup_refused", "account_created", "signed_in"]


async def test_a_closed_session_is_told_with_who_closed_it(owner: Browser, app: RunningApp) -> None:
    async with browser_at(app) as other:
        await other.sign_in()
        newest, own = (await owner.done("GET", "/admin/account"))["sessions"]
        await owner.ask("DELETE", f"/admin/account/sessions/{newest['id']}")

    told = (await _events(owner))[0]
    assert (told["action"], told["target"]) == ("session_closed", newest["id"])
    assert told["session"] == own["id"]


async def test_what_was_refused_leaves_no_trace_of_an_act(owner: Browser) -> None:
    before = await _events(owner)

    await owner.post("/admin/keys/key_0000000000000000/revoke")
    await owner.ask("DELETE", "/admin/account/sessions/ses_0000000000000000")

    assert await _events(owner) == before


async def test_the_trail_is_paged_and_no_entry_falls_between(owner: Browser) -> None:
    """The clock of the test stands still, so all of this happens in one millisecond."""
    for number in range(7):
        await owner.done("PATCH", "/admin/account", {"username": f"owner {number}"})
    everything = await _events(owner)
    assert len({event["at"] for event in everything}) == len(everything) == 9

    paged: list[Json] = []
    while page := await _events(owner, limit=2, **({"before": paged[-1]["at"]} if paged else {})):
        assert len(page) <= 2
        paged += page

    assert paged == everything
    assert all(parse_rfc3339(a["at"]) > parse_rfc3339(b["at"]) for a, b in pairwise(paged))


@pytest.mark.parametrize(
    "query",
    [
        {"before": "yesterday"},
        {"before": "2026-01-01T00:00:00"},
        {"before": ""},
        {"before": "0001-01-01T00:00:00+23:59"},
        {"limit": 0},
        {"limit": 201},
    ],
)
async def test_a_page_that_nobody_can_ask_for(owner: Browser, query: dict[str, str | int]) -> None:
    answer = await owner.get("/admin/audit", **query)

    problem = assert_problem(answer, 400, "invalid_request")
    assert problem["errors"][0]["field"] == next(iter(query))
