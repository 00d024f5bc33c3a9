"""Clean-up over HTTP: previewed, re-checked by the server, whole or not at all, and raced."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from support.app import Agent, RunningApp, running_app, until
from support.browser import Browser, browser_at, set_up_account
from support.consistency import faults
from support.problems import assert_problem

_LATE = "2100-01-01T00:00:00Z"


async def _preview(owner: Browser, path: str, **query: str) -> list[dict[str, Any]]:
    answer = await owner.get(f"/admin/mailboxes/{path}", **query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["mailboxes"]
    return found


async def _living(owner: Browser) -> list[str]:
    return sorted(
        each["id"] for each in await _preview(owner, "created-before", created_before=_LATE)
    )


async def test_the_three_previews_and_what_each_takes(app: RunningApp, owner: Browser) -> None:
    old, asleep = await app.agent("old"), await app.agent("asleep")
    await app.agent("old-empty")
    await old.send(asleep)
    app.clock.advance(60)
    await old.send(await app.agent("new"))
    await app.agent("new-empty")
    await app.agent("witness")
    made = {each["id"]: each["created_at"] for each in await _preview(owner, "empty")}
    date = made["witness"]

    empty = await _preview(owner, "empty")
    stale = await _preview(owner, "stale", before=date)
    created = await _preview(owner, "created-before", created_before=date)

    assert [each["id"] for each in empty] == ["new-empty", "witness", "old-empty"]
    assert [each["id"] for each in stale] == ["asleep", "old-empty"]
    assert [each["id"] for each in created] == ["old", "asleep", "old-empty"]
    assert {each["id"]: each["message_count"] for each in created} == {
        "old": 2,
        "asleep": 1,
        "old-empty": 0,
    }
    body = {"mailboxes": [each["id"] for each in stale], "before": date}
    done = await owner.done("POST", "/admin/mailboxes/purge", body)
    assert done == {"deleted": 2, "messages_deleted": 0, "threads_deleted": 0}
    body = {"mailboxes": ["new-empty", "witness"], "empty": True}
    assert (await owner.done("POST", "/admin/mailboxes/purge", body))["deleted"] == 2
    body = {"mailboxes": ["old", "new"], "created_before": _LATE}
    done = await owner.done("POST", "/admin/mailboxes/purge", body)
    assert done == {"deleted": 2, "messages_deleted": 2, "threads_deleted": 2}
    assert await _living(owner) == []


@pytest.mark.parametrize(
    "body",
    [
        {"mailboxes": ["a"]},
        {"mailboxes": ["a"], "empty": False},
        {"mailboxes": ["a"], "before": None},
        {"mailboxes": ["a"], "empty": True, "before": _LATE},
        {"mailboxes": ["a"], "created_before": _LATE, "before": _LATE},
        {"mailboxes": ["a"], "empty": True, "before": _LATE, "created_before": _LATE},
        {"mailboxes": ["a"], "before": "yesterday"},
        {"mailboxes": ["a"], "created_before": "2026-01-01T00:00:00"},
        {"mailboxes": [], "empty": True},
        {"empty": True},
    ],
)
async def test_a_purge_has_exactly_one_criterion(
    app: RunningApp, owner: Browser, body: dict[str, Any]
) -> None:
    await app.agent("a")

    assert_problem(await owner.post("/admin/mailboxes/purge", body), 400, "invalid_request")

    assert await _living(owner) == ["a"]


@pytest.mark.parametrize("path", ["stale", "created-before"])
async def test_a_preview_needs_its_date(owner: Browser, path: str) -> None:
    name = path.replace("-", "_") if path != "stale" else "before"
    for query in ({}, {name: "soon"}, {name: ""}):
        answer = await owner.get(f"/admin/mailboxes/{path}", **query)
        problem = assert_problem(answer, 400, "invalid_request")
        assert [fault["field"] for fault in problem["errors"]] == [name]


async def test_promise_10_one_that_changed_fails_the_whole_clean_up_by_name(
    app: RunningApp, owner: Browser
) -> None:
    for name in ("a", "b", "c"):
        await app.agent(name)
    shown = [each["id"] for each in await _preview(owner, "empty")]
    await (await app.agent("sender")).send(app.stranger("", "b"))

    answer = await owner.post("/admin/mailboxes/purge", {"mailboxes": shown, "empty": True})

    detail = assert_problem(answer, 409, "criterion_no_longer_met")["detail"]
    assert ": b." in detail
    assert await _living(owner) == ["a", "b", "c", "sender"]
    unknown = {"mailboxes": ["a", "nobody"], "empty": True}
    answer = await owner.post("/admin/mailboxes/purge", unknown)
    assert "nobody" in assert_problem(answer, 404, "mailbox_not_found")["detail"]
    many = [f"gone-{number:02}" for number in range(30)]
    answer = await owner.post("/admin/mailboxes/purge", {"mailboxes": many, "empty": True})
    detail = assert_problem(answer, 404, "mailbox_not_found")["detail"]
    assert [name for name in many if name not in detail] == []
    assert await _living(owner) == ["a", "b", "c", "sender"]


async def test_promise_6_the_other_side_keeps_its_own_copies(
    app: RunningApp, owner: Browser
) -> None:
    alice, bob = await app.agent("alice", display_name="Al"), await app.agent("bob")
    kept = await alice.send(bob, "kept")
    await owner.done("DELETE", f"/admin/mailboxes/alice?last_activity_at={kept['created_at']}")

    read = (await bob.get(f"/api/messages/{kept['id']}")).json()

    assert (read["body"], read["from"]["display_name"], read["from"]["deleted"]) == (
        "kept",
        "Al",
        True,
    )
    assert_problem(await alice.get("/api/mailbox"), 404, "mailbox_not_registered")
    assert_problem(await bob.get("/api/agents/alice"), 404, "mailbox_not_found")
    again = await app.agent("alice")
    assert (await again.get("/api/messages", folder="all")).json()["total"] == 0
    assert (await bob.get("/api/messages")).json()["messages"][0]["from"]["deleted"]
    thread = await owner.done("GET", f"/admin/threads/{kept['thread_id']}")
    assert [party["deleted"] for party in thread["thread"]["participants"]] == [True, False]


async def test_one_mailbox_goes_unless_it_was_active_since(app: RunningApp, owner: Browser) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    seen = (await alice.send(bob))["created_at"]
    app.clock.advance(1)
    last = (await bob.send(alice))["created_at"]
    path = "/admin/mailboxes/alice"

    for query in ({"last_activity_at": seen}, {}):
        answer = await owner.ask("DELETE", path, params=query)
        problem = assert_problem(answer, 409, "criterion_no_longer_met")
        assert "alice" in problem["detail"]
    wrong = await owner.ask("DELETE", path, params={"last_activity_at": "now"})
    assert_problem(wrong, 400, "invalid_request")
    gone = await owner.ask("DELETE", path, params={"last_activity_at": last})
    assert (gone.status_code, gone.content) == (204, b"")
    again = await owner.ask("DELETE", path, params={"last_activity_at": last})
    assert_problem(again, 404, "mailbox_not_found")


async def test_an_open_wait_ends_at_once_with_404_and_no_other_does(
    app: RunningApp, owner: Browser
) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    head = (await alice.get("/api/mailbox")).json()["head"]
    waits = [
        asyncio.create_task(each.get("/api/wait", timeout_seconds=60, after=head, watcher=watcher))
        for each in (alice, bob)
        for watcher in (True, False)
    ]
    await until(lambda: _waiting(app, 4))

    await owner.done("DELETE", "/admin/mailboxes/alice")

    async with asyncio.timeout(1):
        ended = [await wait for wait in waits[:2]]
    for answer in ended:
        assert_problem(answer, 404, "mailbox_not_found")
    assert not any(wait.done() for wait in waits[2:])
    app.hub.close()
    assert [(await wait).status_code for wait in waits[2:]] == [200, 200]


async def _waiting(app: RunningApp, number: int) -> bool:
    return len(app.hub._open_waits()) == number


async def test_what_was_deleted_is_in_the_audit_trail_with_its_counts(
    app: RunningApp, owner: Browser
) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    await alice.send(bob)
    await app.agent("idle")
    await owner.done("DELETE", "/admin/mailboxes/idle")
    body = {"mailboxes": ["alice", "bob"], "created_before": _LATE}
    await owner.done("POST", "/admin/mailboxes/purge", body)
    refused = await owner.post("/admin/mailboxes/purge", {"mailboxes": ["x"], "empty": True})
    assert refused.status_code == 404

    events = (await owner.done("GET", "/admin/audit"))["events"][:2]

    assert [(each["action"], each["target"]) for each in events] == [
        ("mailboxes_purged", "created_before: mailboxes: 2, messages: 1, threads: 1"),
        ("mailbox_deleted", "idle"),
    ]


# Races. The sends and the clean-up go through the application at the same time; whichever the
# writer takes first, no accepted message may vanish with a mailbox that was taken for untouched.

_Purge = Callable[[Browser, dict[str, str | None]], Awaitable[httpx2.Response]]


async def _purge_empty(owner: Browser, shown: dict[str, str | None]) -> httpx2.Response:
    body = {"mailboxes": list(shown), "empty": True}
    return await owner.post("/admin/mailboxes/purge", body)


async def _purge_stale(owner: Browser, shown: dict[str, str | None]) -> httpx2.Response:
    # The clock stands still at the moment of the date: whatever happens now is not before it.
    (now,) = {each["created_at"] for each in await _preview(owner, "empty") if each["id"] == "now"}
    body = {"mailboxes": list(shown), "before": now}
    return await owner.post("/admin/mailboxes/purge", body)


async def _delete_one(owner: Browser, shown: dict[str, str | None]) -> httpx2.Response:
    (address,) = shown
    seen = shown[address]
    query = {} if seen is None else {"last_activity_at": seen}
    return await owner.ask("DELETE", f"/admin/mailboxes/{address}", params=query)


@pytest.mark.parametrize(
    ("purge", "doomed", "was_active"),
    [
        (_purge_empty, 3, False),
        (_purge_stale, 3, True),
        (_delete_one, 1, True),
        (_delete_one, 1, False),
    ],
)
async def test_promise_10_a_purge_raced_by_sends_takes_nothing_new_or_fails_by_name(
    tmp_path: Path, purge: _Purge, doomed: int, was_active: bool
) -> None:
    outcomes = set()
    async with running_app(tmp_path) as app, browser_at(app) as owner:
        await set_up_account(app, owner)
        sender = await app.agent("sender")
        for number in range(30):
            boxes = [await app.agent(f"box-{number}-{each}") for each in range(doomed)]
            if was_active:
                for box in boxes:
                    await sender.send(box)
            app.clock.advance(1)
            await app.agent("now")
            living = await _preview(owner, "created-before", created_before=_LATE)
            wanted = {box.address for box in boxes}
            shown = {
                each["id"]: each["last_activity_at"] for each in living if each["id"] in wanted
            }
            outcomes.add(await _race(owner, sender, boxes, purge, shown, delay=number % 6))
            await owner.done("DELETE", "/admin/mailboxes/now")
        assert await app.database.write(lambda batch: faults(batch.connection)) == []
    assert outcomes == {"purge first", "send first"}


async def _race(
    owner: Browser,
    sender: Agent,
    boxes: list[Agent],
    purge: _Purge,
    shown: dict[str, str | None],
    *,
    delay: int,
) -> str:
    async def send() -> httpx2.Response:
        for _ in range(delay):
            await asyncio.sleep(0)
        return await sender.post("/api/messages", {"to": target.address, "body": "new"})

    target = boxes[-1]
    both = (purge(owner, shown), send())
    if delay % 2:
        done, sent = await asyncio.gather(*both)
    else:
        sent, done = await asyncio.gather(*both[::-1])
    assert sent.status_code == 201  # a fixed address takes mail even when nobody has it
    new = sent.json()["id"]
    message = await owner.done("GET", f"/admin/messages/{new}")
    assert [copy["present"] for copy in message["deliveries"]] == [True, True]
    if done.status_code == 409:
        detail = assert_problem(done, 409, "criterion_no_longer_met")["detail"]
        assert target.address in detail
        assert {box.address for box in boxes} <= set(await _living(owner))
        return "send first"
    assert done.status_code in {200, 204}, done.text
    # The message that came meanwhile is in a mailbox that was made for it.
    assert sent.json()["recipient_never_connected"]
    return "purge first"
