"""Waits: what wakes them, what they hand over, how they end, and the presence they make."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import insert

from messenger_core.schema import link, link_side
from messenger_server.database import Batch
from messenger_server.presence import Hub, Waiter
from support.app import Agent, RunningApp, until


@pytest.fixture
async def alice(app: RunningApp) -> Agent:
    """Writes to bob."""
    return await app.agent("alice")


@pytest.fixture
async def bob(app: RunningApp, alice: Agent) -> Agent:
    """Waits for mail."""
    return await app.agent("bob", key=await app.create_key("bob"))


@asynccontextmanager
async def _waiting(app: RunningApp, agent: Agent, **query: Any) -> AsyncIterator[asyncio.Task[Any]]:
    """A wait that is open when the block begins, and over when it ends."""
    before = _open_waits(app)
    task = asyncio.create_task(agent.get("/api/wait", **query))

    async def is_open() -> bool:
        return _open_waits(app) > before

    await until(is_open)
    yield task
    async with asyncio.timeout(5):
        await task


def _open_waits(app: RunningApp) -> int:
    return sum(len(waiters) for waiters in app.hub._waiters.values())


async def _status(agent: Agent) -> dict[str, Any]:
    watcher: dict[str, Any] = (await agent.get("/api/mailbox")).json()["watcher"]
    return watcher


async def test_a_message_wakes_every_wait_of_its_recipient(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    async with (
        _waiting(app, bob) as first,
        _waiting(app, bob) as second,
        _waiting(app, alice, timeout_seconds=0.5) as other,
    ):
        sent = await alice.send(bob)

    for task in (first, second):
        result = task.result().json()
        assert [message["id"] for message in result["messages"]] == [sent["id"]]
        assert result["cursor"] == sent["seq"]
        assert result["timed_out"] is False
    assert other.result().json()["messages"] == []
    assert _open_waits(app) == 0


async def test_without_a_cursor_only_what_arrives_later_is_given(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    old = await alice.send(bob)

    nothing = (await bob.get("/api/wait", timeout_seconds=0)).json()
    assert nothing == {"messages": [], "links": [], "cursor": old["seq"], "timed_out": True}
    async with _waiting(app, bob) as task:
        new = await alice.send(bob)

    assert [message["id"] for message in task.result().json()["messages"]] == [new["id"]]


async def test_with_a_cursor_everything_later_is_given_at_once_oldest_first(
    alice: Agent, bob: Agent
) -> None:
    sent = [await alice.send(bob) for _ in range(3)]

    result = (await bob.get("/api/wait", after=sent[0]["seq"])).json()

    assert [message["id"] for message in result["messages"]] == [each["id"] for each in sent[1:]]
    assert result["cursor"] == sent[2]["seq"]
    again = (await bob.get("/api/wait", after=result["cursor"], timeout_seconds=0)).json()
    assert (again["messages"], again["cursor"]) == ([], result["cursor"])


async def test_a_cursor_beyond_the_head_counts_as_the_head(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    old = await alice.send(bob)

    result = (await bob.get("/api/wait", after=10**9, timeout_seconds=0)).json()
    assert result["cursor"] == old["seq"]
    async with _waiting(app, bob, after=10**9) as task:
        new = await alice.send(bob)

    assert task.result().json()["cursor"] == new["seq"]


async def test_at_most_200_messages_are_given_and_the_cursor_goes_on(
    alice: Agent, bob: Agent
) -> None:
    for _ in range(205):
        await alice.send(bob)

    first = (await bob.get("/api/wait", after=0)).json()
    rest = (await bob.get("/api/wait", after=first["cursor"])).json()

    assert (len(first["messages"]), len(rest["messages"])) == (200, 5)


@pytest.mark.parametrize("folder", ["all", "ALL"])
async def test_a_wait_for_all_folders_is_one_that_names_none(
    app: RunningApp, alice: Agent, bob: Agent, folder: str
) -> None:
    async with _waiting(app, bob, folder=folder, timeout_seconds=5) as waiting:
        sent = await alice.send(bob)
    answer = (await waiting).json()
    assert [each["id"] for each in answer["messages"]] == [sent["id"]]

    await bob.post("/api/messages/delete", {"ids": [sent["id"]]})
    later = await bob.get("/api/wait", folder=folder, after=0, timeout_seconds=0)
    assert (later.status_code, later.json()["messages"]) == (200, [])


async def test_a_wait_for_one_folder_sleeps_through_the_others(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    async with _waiting(app, bob, folder="archive", timeout_seconds=0.3) as archive:
        await alice.send(bob)

    assert archive.result().json()["timed_out"] is True
    unknown = await bob.get("/api/wait", folder="nowhere")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "folder_not_found")


async def test_the_senders_own_copies_wake_nobody(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    await alice.send(bob)

    result = (await alice.get("/api/wait", after=0, timeout_seconds=0)).json()

    assert result["messages"] == []


async def test_a_wish_beyond_the_ceiling_is_cut_to_it(app: RunningApp, bob: Agent) -> None:
    async with _waiting(app, bob, timeout_seconds=10**12) as task:
        app.hub.close()

    assert task.result().status_code == 200


async def test_the_stop_ends_every_wait_at_once_and_those_to_come(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    async with _waiting(app, bob) as first, _waiting(app, alice, watcher=True) as second:
        app.hub.close()

    for answer in (first.result(), second.result(), await bob.get("/api/wait")):
        assert answer.status_code == 200
        assert answer.json()["timed_out"] is True


async def test_a_stopping_server_still_hands_over_what_is_there(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    await alice.send(bob)
    app.hub.close()

    assert len((await bob.get("/api/wait", after=0)).json()["messages"]) == 1


async def test_a_wait_ends_soon_after_its_key_was_revoked_elsewhere(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    async with _waiting(app, bob) as task:
        await app.revoke_key("bob")

    assert (task.result().status_code, task.result().json()["code"]) == (401, "api_key_revoked")
    assert task.result().headers["WWW-Authenticate"] == "Bearer"


async def test_a_wait_ends_soon_after_its_key_expired(app: RunningApp) -> None:
    carol = await app.agent("carol", key=await app.create_key(days=1))
    async with _waiting(app, carol) as task:
        app.clock.advance(24 * 3600)

    assert (task.result().status_code, task.result().json()["code"]) == (401, "api_key_expired")


async def test_a_link_wakes_watchers_and_is_given_to_them_and_to_cursors(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    async with (
        _waiting(app, bob, watcher=True) as watcher,
        _waiting(app, bob, timeout_seconds=0.5) as plain,
    ):
        seq = await app.database.write(_link, 1, 2)
        app.hub.wake_watchers(2)

    result = watcher.result().json()
    assert [each["mailbox"]["id"] for each in result["links"]] == ["alice"]
    assert result["cursor"] == seq
    assert plain.result().json()["links"] == []
    by_cursor = (await bob.get("/api/wait", after=0)).json()
    assert [each["received_at"] for each in by_cursor["links"]] == [None]


async def test_reading_ones_state_marks_the_links_as_received(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    await app.database.write(_link, 1, 2)

    (mine,) = (await bob.get("/api/mailbox")).json()["links"]
    assert mine["received_at"] is not None
    await alice.get("/api/agents")
    (other,) = (await alice.get("/api/wait", after=0)).json()["links"]
    assert other["received_at"] is not None


async def test_what_a_watcher_was_handed_is_marked_as_announced(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    sent = await alice.send(bob)
    path = f"/api/messages/{sent['id']}?mark_read=false"

    await bob.get("/api/wait", after=0)
    assert (await alice.get(path)).json()["recipient_announced_at"] is None
    app.clock.advance(1)
    given = (await bob.get("/api/wait", after=0, watcher=True)).json()
    assert given["messages"][0]["announced_at"] is None

    async def is_marked() -> bool:
        return (await alice.get(path)).json()["recipient_announced_at"] is not None

    await until(is_marked)
    first = (await alice.get(path)).json()["recipient_announced_at"]
    app.clock.advance(60)
    again = (await bob.get("/api/wait", after=0, watcher=True)).json()
    assert again["messages"][0]["announced_at"] == first


async def test_presence_is_armed_while_held_and_two_minutes_more(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    assert await _status(bob) == {"armed": False, "since": None, "waiting": False}
    async with _waiting(app, bob, watcher=True):
        held = await _status(bob)
        assert (held["armed"], held["waiting"]) == (True, True)
        app.clock.advance(10)
        sent = await alice.send(bob)
    assert sent["recipient_watcher_armed"] is True

    app.clock.advance(119.9)
    assert await _status(bob) == {**held, "waiting": False}
    async with _waiting(app, bob, watcher=True):
        assert await _status(bob) == held
        await alice.send(bob)
    app.clock.advance(120)
    assert await _status(bob) == {"armed": False, "since": None, "waiting": False}
    assert (await alice.send(bob))["recipient_watcher_armed"] is False


async def test_a_wait_that_is_no_watchers_makes_no_presence(
    app: RunningApp, alice: Agent, bob: Agent
) -> None:
    async with _waiting(app, bob):
        assert (await _status(bob))["armed"] is False
        await alice.send(bob)


async def test_presence_after_a_lapse_begins_anew(app: RunningApp, bob: Agent) -> None:
    await bob.get("/api/wait", watcher=True, timeout_seconds=0)
    first = await _status(bob)
    app.clock.advance(500)

    await bob.get("/api/wait", watcher=True, timeout_seconds=0)

    assert (await _status(bob))["since"] > first["since"]


async def test_the_version_of_presence_rises_whenever_somebodys_armed_flips(
    app: RunningApp, bob: Agent
) -> None:
    hub = app.hub
    versions = [hub.version]

    await bob.get("/api/wait", watcher=True, timeout_seconds=0)
    versions.append(hub.version)
    await bob.get("/api/wait", watcher=True, timeout_seconds=0)
    assert hub.version == versions[-1]
    app.clock.advance(120)
    versions.append(hub.version)

    assert versions == sorted(set(versions))


async def test_a_client_that_leaves_frees_its_wait(app: RunningApp) -> None:
    """The rest of the way is tested on a real connection."""
    hub = Hub(app.clock)
    waiter = Waiter(1, 1, "f", is_watcher=True)
    hub.register(waiter)
    leaving = asyncio.Event()

    async def receive() -> Any:
        await leaving.wait()
        return {"type": "http.disconnect"}

    async with asyncio.timeout(5):
        sleeping = asyncio.create_task(
            waiter.sleep(receive, asyncio.get_running_loop().time() + 60)
        )
        leaving.set()
        assert (await sleeping).name == "LEFT"
    hub.leave(waiter)
    assert hub.watcher(1).waiting is False


async def test_a_wake_up_before_the_sleep_is_not_lost() -> None:
    waiter = Waiter(1, 1, "f", is_watcher=False)

    async def receive() -> Any:
        raise AssertionError("it does not sleep")

    waiter.wake()
    assert (await waiter.sleep(receive, 0)).name == "WOKEN"


def _link(batch: Batch, first: int, second: int) -> int:
    """A link between two mailboxes, as the console will make it; its seq."""
    seq = batch.take_seq()
    row = insert(link).values(public_id="lnk_0123456789", seq=seq, created_at=batch.now_ms)
    key = batch.connection.execute(row).inserted_primary_key
    assert key is not None
    for one, other in ((first, second), (second, first)):
        batch.connection.execute(
            insert(link_side).values(mailbox_id=one, other_id=other, link_id=key[0])
        )
    return seq
