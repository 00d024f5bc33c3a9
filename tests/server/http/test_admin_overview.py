"""The console sees every mailbox, by agent, with what passed through it."""

from typing import Any

from support.app import Agent, RunningApp, until
from support.browser import Browser


async def _mailboxes(owner: Browser) -> dict[str, dict[str, Any]]:
    shown = await owner.done("GET", "/admin/overview")
    return {each["id"]: each for agent in shown["agents"] for each in agent["mailboxes"]}


async def test_mailboxes_are_grouped_by_agent_latest_activity_first(
    app: RunningApp, owner: Browser
) -> None:
    one = await app.agent("one", agent_name="Team", agent_description="builds")
    app.clock.advance(1)
    two = await app.agent("two", agent_name="Team")
    app.clock.advance(1)
    await app.agent("loner-b")
    await app.agent("loner-a")
    app.clock.advance(1)
    await two.send(one)
    app.clock.advance(1)
    await one.post("/api/messages", {"to": "never", "body": "x"})

    shown = await owner.done("GET", "/admin/overview")

    # Of two that were active at the same time the younger is first; what is empty goes by its age,
    # and then by its address.
    assert [
        (agent["agent_name"], [each["id"] for each in agent["mailboxes"]])
        for agent in shown["agents"]
    ] == [
        (None, ["never"]),
        ("Team", ["one", "two"]),
        (None, ["loner-a"]),
        (None, ["loner-b"]),
    ]
    assert {agent["agent_description"] for agent in shown["agents"]} == {"builds", None}
    assert shown["totals"] == {
        "agents": 4,
        "mailboxes": 5,
        "messages": 2,
        "threads": 2,
        "unread": 2,
        "announced_unread": {"count": 0, "oldest_thread_id": None},
    }


async def test_a_mailbox_shows_what_passed_through_it(app: RunningApp, owner: Browser) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    app.clock.advance(1)
    sent = [await alice.send(bob) for _ in range(3)]
    await bob.send(alice)
    await bob.get(f"/api/messages/{sent[0]['id']}")
    await bob.post("/api/messages/delete", {"ids": [sent[1]["id"]]})
    await bob.post("/api/messages/delete", {"ids": [sent[2]["id"]], "permanent": True})
    await alice.post("/api/messages/mark", {"ids": [sent[0]["id"]], "read": False})

    shown = await _mailboxes(owner)

    assert shown["alice"] == {
        "id": "alice",
        "agent_name": None,
        "agent_description": None,
        "display_name": None,
        "description": None,
        "created_at": shown["alice"]["created_at"],
        "last_seen_at": shown["alice"]["created_at"],
        "last_activity_at": sent[0]["created_at"],
        "linked": False,
        # What it sent and marked as unread itself is not unread mail.
        "unread": 1,
        "sent": 3,
        "received": 1,
        "watcher": {"armed": False, "since": None, "waiting": False},
    }
    # What lies in the trash is still there.
    assert [shown["bob"][name] for name in ("unread", "sent", "received")] == [1, 1, 2]


async def test_a_watcher_shows_while_it_is_armed(app: RunningApp, owner: Browser) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    assert not (await _mailboxes(owner))["bob"]["watcher"]["armed"]

    sent = await alice.send(bob)
    await bob.get("/api/wait", watcher=True, after=0)

    watcher = (await _mailboxes(owner))["bob"]["watcher"]
    assert watcher == {"armed": True, "since": sent["created_at"], "waiting": False}
    app.clock.advance(120)
    assert not (await _mailboxes(owner))["bob"]["watcher"]["armed"]


async def test_what_was_announced_long_ago_and_is_unread_is_pointed_out(
    app: RunningApp, owner: Browser
) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    first = await alice.send(bob)
    await alice.send(bob)
    await bob.get("/api/wait", watcher=True, after=0)
    await until(lambda: _is_announced(bob))
    await alice.send(bob)

    app.clock.advance(600)
    assert (await _announced(owner))["count"] == 0  # not over ten minutes
    app.clock.advance(1)
    assert await _announced(owner) == {"count": 2, "oldest_thread_id": first["thread_id"]}
    await bob.get(f"/api/messages/{first['id']}")

    announced = await _announced(owner)
    assert announced["count"] == 1
    assert announced["oldest_thread_id"] != first["thread_id"]


async def _announced(owner: Browser) -> dict[str, Any]:
    shown: dict[str, Any] = (await owner.done("GET", "/admin/overview"))["totals"]
    return dict(shown["announced_unread"])


async def _is_announced(agent: Agent) -> bool:
    page = (await agent.get("/api/messages")).json()
    return all(each["announced_at"] for each in page["messages"])
