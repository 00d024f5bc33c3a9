"""Filing over HTTP: marks, moves, deletions, folders with any name, and the waits that see them."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from messenger_core.limits import IDS_MAX_COUNT
from messenger_core.wire.messages import MoveMessages
from messenger_server.database import Batch
from messenger_server.store.addresses import mailbox_at
from messenger_server.store.delivering import Delivered
from messenger_server.store.filing import move_messages
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.messages import deliver_many
from messenger_server.store.retention import PORTION
from support.app import Agent, RunningApp, running_app, until
from support.post_office import draft

_DAY_SECONDS = 24 * 3600


@pytest.fixture
async def pair(app: RunningApp) -> tuple[Agent, Agent]:
    """Two that correspond."""
    return await app.agent("alice"), await app.agent("bob")


async def _folders(of: Agent) -> dict[str, dict[str, Any]]:
    folders = (await of.get("/api/folders")).json()["folders"]
    return {each["name"]: each for each in folders}


async def test_messages_are_marked_moved_and_deleted(pair: tuple[Agent, Agent]) -> None:
    alice, bob = pair
    ids = [(await alice.send(bob))["id"] for _ in range(2)]

    answers = [
        await bob.post("/api/messages/mark", {"ids": [*ids, "msg_0"], "read": True}),
        await bob.post("/api/messages/move", {"ids": [ids[0], "msg_0"], "folder": "archive"}),
        await bob.post("/api/messages/delete", {"ids": [ids[1], "msg_0"]}),
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].json() == {"changed": ids, "unknown": ["msg_0"]}
    folders = await _folders(bob)
    assert {name: each["total"] for name, each in folders.items()} == {
        "inbox": 0,
        "sent": 0,
        "archive": 1,
        "trash": 1,
    }
    await bob.post("/api/messages/delete", {"ids": ids, "permanent": True})
    assert (await bob.get(f"/api/messages/{ids[0]}")).status_code == 404
    assert (await alice.get(f"/api/messages/{ids[0]}")).json()["recipient_read_at"] is not None


@pytest.mark.parametrize("path", ["mark", "move", "delete"])
async def test_one_to_five_hundred_ids_are_taken(pair: tuple[Agent, Agent], path: str) -> None:
    alice, _ = pair
    more = {"folder": "archive"} if path == "move" else {}

    statuses = [
        (
            await alice.post(
                f"/api/messages/{path}", {"ids": [f"msg_{n}" for n in range(count)], **more}
            )
        ).status_code
        for count in (0, 1, 500, 501)
    ]

    assert statuses == [400, 200, 200, 400]


@pytest.mark.parametrize(
    "name",
    [
        "work",
        "a/b",
        "/a",
        "a//b",
        "ends/",
        "100%",
        "%2F",
        "a?b#c",
        "später",
        "日本",
        "a b",
        "...",
        "x" * 60,
    ],
)
async def test_a_folder_may_have_any_name(pair: tuple[Agent, Agent], name: str) -> None:
    alice, bob = pair
    sent = await alice.send(bob)

    made = await bob.post("/api/folders", {"name": name})
    await bob.post("/api/messages/move", {"ids": [sent["id"]], "folder": name})
    listed = (await bob.get("/api/messages", folder=name)).json()["messages"]
    deleted = await bob.ask("DELETE", f"/api/folders/{quote(name, safe='')}")

    assert (made.status_code, made.json()) == (
        201,
        {"name": name, "system": False, "total": 0, "unread": 0},
    )
    assert [(each["id"], each["folder"]) for each in listed] == [(sent["id"], name)]
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert "content-type" not in deleted.headers
    folders = await _folders(bob)
    assert list(folders) == ["inbox", "sent", "archive", "trash"]
    assert (folders["archive"]["total"], folders["archive"]["unread"]) == (1, 1)


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("", 400, "invalid_request"),
        ("   ", 400, "invalid_request"),
        ("//", 400, "invalid_request"),
        ("\u200b\u3164", 400, "invalid_request"),
        ("/\N{BRAILLE PATTERN BLANK}/", 400, "invalid_request"),
        ("..", 400, "invalid_request"),
        ("x" * 61, 400, "invalid_request"),
        ("a\0b", 400, "invalid_request"),
        ("WORK", 409, "folder_exists"),
        (" work ", 409, "folder_exists"),
        ("Inbox", 409, "folder_exists"),
        ("ALL", 409, "folder_exists"),
        ("A\N{COMBINING DIAERESIS}nderung", 409, "folder_exists"),
    ],
)
async def test_a_name_that_is_none_or_taken(
    app: RunningApp, name: str, status: int, code: str
) -> None:
    alice = await app.agent("alice")
    for taken in ("work", "änderung"):
        await alice.post("/api/folders", {"name": taken})

    answer = await alice.post("/api/folders", {"name": name})

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert len(await _folders(alice)) == 6


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("inbox", 403, "system_folder"),
        ("TRASH", 403, "system_folder"),
        ("all", 404, "folder_not_found"),
        ("nowhere", 404, "folder_not_found"),
        ("a%2Fb", 404, "folder_not_found"),
        ("a/b", 404, "not_found"),
        ("%FF", 404, "not_found"),
        ("%00", 404, "not_found"),
    ],
)
async def test_what_cannot_be_deleted(app: RunningApp, name: str, status: int, code: str) -> None:
    alice = await app.agent("alice")

    answer = await alice.ask("DELETE", f"/api/folders/{name}")

    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_wait_on_a_folder_sees_what_is_moved_into_it(
    app: RunningApp, pair: tuple[Agent, Agent]
) -> None:
    alice, bob = pair
    await bob.post("/api/folders", {"name": "work"})
    sent = await alice.send(bob)
    wait = asyncio.create_task(bob.get("/api/wait", folder="work", after=0, timeout_seconds=5))

    async def is_waiting() -> bool:
        return bool(app.hub.keys_in_use())

    await until(is_waiting)
    await bob.post("/api/messages/move", {"ids": [sent["id"]], "folder": "work"})

    async with asyncio.timeout(3):
        found = (await wait).json()
    assert [(each["id"], each["folder"]) for each in found["messages"]] == [(sent["id"], "work")]


async def _fill_trash(app: RunningApp, of: Agent, count: int, days_ago: int) -> None:
    """Moves new messages into the trash, so many days before the clock's start."""
    app.clock.advance(-days_ago * _DAY_SECONDS)

    def work(batch: Batch) -> None:
        sides = [mailbox_at(batch.connection, name) or 0 for name in ("alice", of.address)]
        alice = MailboxRow(sides[0], "alice", None, registered=True)
        sent = deliver_many(batch, [draft(alice, of.address)] * count)
        ids = [each.message.id for each in sent if isinstance(each, Delivered)]
        for begin in range(0, count, IDS_MAX_COUNT):
            chosen = ids[begin : begin + IDS_MAX_COUNT]
            move_messages(batch, sides[1], MoveMessages(ids=chosen, folder="trash"))

    await app.database.write(work)
    app.clock.advance(days_ago * _DAY_SECONDS)


async def _trashed(of: Agent) -> int:
    total: int = (await _folders(of))["trash"]["total"]
    return total


@pytest.mark.parametrize(("days", "left"), [(30, 1), (1, 0), (None, PORTION + 2)])
async def test_the_trash_is_swept_at_start(tmp_path: Path, days: int | None, left: int) -> None:
    retention = None if days is None else timedelta(days=days)
    async with running_app(tmp_path) as app:
        key = await app.create_key()
        await app.agent("alice", key=key)
        bob = await app.agent("bob", key=key)
        await _fill_trash(app, bob, PORTION + 1, days_ago=30)
        await _fill_trash(app, bob, 1, days_ago=29)

    async with running_app(tmp_path, trash_retention=retention) as app:
        bob = app.stranger(key, "bob")

        async def is_swept() -> bool:
            return await _trashed(bob) == left

        await until(is_swept)
        # A first sweep is over before whatever is written after it.
        await app.database.write(lambda _batch: None)
        assert await _trashed(bob) == left
        assert (await app.stranger(key, "alice").get("/api/folders")).json()["folders"][1][
            "total"
        ] == PORTION + 2
