"""The person puts two mailboxes in touch; both agents learn of it."""

import asyncio
from typing import Any

import pytest

from support.app import Agent, RunningApp, until
from support.browser import Browser
from support.problems import assert_problem


async def _make(owner: Browser, *addresses: str, note: str | None = None) -> dict[str, Any]:
    body = {"mailboxes": list(addresses), **({} if note is None else {"note": note})}
    return await owner.done("POST", "/admin/links", body)


async def test_a_link_is_shown_with_both_its_sides(app: RunningApp, owner: Browser) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")

    link = await _make(owner, "alice", "bob", note="work together")

    assert set(link) == {"id", "mailboxes", "note", "created_at"}
    assert link["id"].startswith("lnk_")
    assert link["note"] == "work together"
    assert [side["mailbox"]["id"] for side in link["mailboxes"]] == ["alice", "bob"]
    assert [side["received_at"] for side in link["mailboxes"]] == [None, None]
    assert (await owner.done("GET", "/admin/links"))["links"] == [link]
    for agent, other in ((alice, "bob"), (bob, "alice")):
        (own,) = (await agent.get("/api/links")).json()["links"]
        assert (own["id"], own["mailbox"]["id"], own["note"]) == (
            link["id"],
            other,
            "work together",
        )


async def test_each_side_receives_a_link_when_its_agent_reads_it(
    app: RunningApp, owner: Browser
) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    await _make(owner, "bob", "alice")

    await alice.get("/api/links")

    (shown,) = (await owner.done("GET", "/admin/links"))["links"]
    received = {side["mailbox"]["id"]: side["received_at"] for side in shown["mailboxes"]}
    assert received["alice"] is not None
    assert received["bob"] is None
    assert shown["note"] is None
    await bob.get("/api/mailbox")
    (shown,) = (await owner.done("GET", "/admin/links"))["links"]
    assert all(side["received_at"] for side in shown["mailboxes"])


async def test_the_newest_link_comes_first(app: RunningApp, owner: Browser) -> None:
    for name in ("a", "b", "c"):
        await app.agent(name)
    ids = [(await _make(owner, *pair))["id"] for pair in (("a", "b"), ("b", "c"), ("a", "c"))]

    shown = (await owner.done("GET", "/admin/links"))["links"]

    assert [each["id"] for each in shown] == ids[::-1]


async def test_a_link_wakes_the_watchers_of_both_sides(app: RunningApp, owner: Browser) -> None:
    alice, bob, eve = [await app.agent(name) for name in ("alice", "bob", "eve")]
    sent = await alice.send(bob)
    waits = [asyncio.create_task(_watch(agent, sent["seq"])) for agent in (alice, bob, eve)]
    await until(lambda: _waiting(app, 3))

    link = await _make(owner, "alice", "bob")

    async with asyncio.timeout(5):
        told = [await wait for wait in waits[:2]]
    for answer, other in zip(told, ("bob", "alice"), strict=True):
        (own,) = answer["links"]
        assert (own["id"], own["mailbox"]["id"], own["received_at"]) == (link["id"], other, None)
        assert answer["cursor"] == own["seq"] == sent["seq"] + 1
    assert not waits[2].done()
    app.hub.close()
    assert (await waits[2])["timed_out"]


async def _watch(agent: Agent, after: int) -> dict[str, Any]:
    answer = await agent.get("/api/wait", watcher=True, after=after, timeout_seconds=60)
    document: dict[str, Any] = answer.json()
    return document


async def _waiting(app: RunningApp, number: int) -> bool:
    return sum(each.waiting for each in app.hub.watchers().values()) == number


async def test_mailboxes_are_linked_once(app: RunningApp, owner: Browser) -> None:
    await app.agent("alice")
    await app.agent("bob")
    link = await _make(owner, "alice", "bob")

    for pair in (["alice", "bob"], ["bob", "alice"]):
        answer = await owner.post("/admin/links", {"mailboxes": pair})
        assert_problem(answer, 409, "already_linked")
    assert (await owner.ask("DELETE", f"/admin/links/{link['id']}")).status_code == 204
    answer = await owner.ask("DELETE", f"/admin/links/{link['id']}")
    assert_problem(answer, 404, "link_not_found")
    assert (await owner.done("GET", "/admin/links"))["links"] == []
    await _make(owner, "bob", "alice")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"mailboxes": ["alice", "alice"]}, "mailboxes"),
        ({"mailboxes": ["alice"]}, "mailboxes"),
        ({"mailboxes": ["alice", "bob", "eve"]}, "mailboxes"),
        ({"mailboxes": ["alice", "bob"], "note": "x" * 1001}, "note"),
        ({"note": "x"}, "mailboxes"),
    ],
)
async def test_what_is_no_link(
    app: RunningApp, owner: Browser, body: dict[str, Any], field: str
) -> None:
    for name in ("alice", "bob", "eve"):
        await app.agent(name)

    problem = assert_problem(await owner.post("/admin/links", body), 400, "invalid_request")

    assert [fault["field"] for fault in problem["errors"]] == [field]
    assert (await owner.done("GET", "/admin/links"))["links"] == []


async def test_an_unknown_mailbox_is_named(app: RunningApp, owner: Browser) -> None:
    await app.agent("alice")

    answer = await owner.post("/admin/links", {"mailboxes": ["alice", "nobody"]})

    assert "nobody" in assert_problem(answer, 404, "mailbox_not_found")["detail"]


async def test_links_and_names_are_in_the_audit_trail(app: RunningApp, owner: Browser) -> None:
    await app.agent("alice")
    await app.agent("bob")
    link = await _make(owner, "alice", "bob")
    await owner.done("PATCH", "/admin/mailboxes/alice", {"display_name": "Al"})
    await owner.done("DELETE", f"/admin/links/{link['id']}")
    refused = await owner.ask("DELETE", f"/admin/links/{link['id']}")
    assert refused.status_code == 404

    events = (await owner.done("GET", "/admin/audit"))["events"][:3]

    assert [(each["action"], each["target"]) for each in events] == [
        ("link_deleted", link["id"]),
        ("mailbox_renamed", "alice"),
        ("link_created", link["id"]),
    ]
    assert all(each["session"].startswith("ses_") for each in events)


async def test_a_renamed_mailbox_keeps_its_name_when_it_registers_again(
    app: RunningApp, owner: Browser
) -> None:
    alice = await app.agent("alice", display_name="Before")

    shown = await owner.done("PATCH", "/admin/mailboxes/alice", {"display_name": "After"})

    assert (shown["id"], shown["display_name"]) == ("alice", "After")
    again = await app.agent("alice", key=alice.key, display_name="Before")
    assert (await again.get("/api/mailbox")).json()["mailbox"]["display_name"] == "After"
    cleared = await owner.done("PATCH", "/admin/mailboxes/alice", {"display_name": ""})
    assert cleared["display_name"] is None
    for body in ({}, {"display_name": "x" * 121}, {"description": "x"}):
        answer = await owner.ask("PATCH", "/admin/mailboxes/alice", json=body)
        assert_problem(answer, 400, "invalid_request")
    unknown = await owner.ask("PATCH", "/admin/mailboxes/nobody", json={"display_name": "x"})
    assert_problem(unknown, 404, "mailbox_not_found")
