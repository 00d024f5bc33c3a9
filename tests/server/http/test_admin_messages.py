"""The console reads the server's messages, threads and files, and changes none (promise 9)."""

from typing import Any

import pytest

from messenger_core.limits import MEGABYTE
from messenger_server.app import ALL_ROUTES
from support.app import Agent, RunningApp
from support.browser import Browser
from support.problems import assert_problem


class Scene:
    """Alice writes to bob; her message has a file, and he has read it."""

    def __init__(self, alice: Agent, bob: Agent, sent: dict[str, Any]) -> None:
        self.alice = alice
        self.bob = bob
        self.sent = sent


@pytest.fixture
async def scene(app: RunningApp) -> Scene:
    """One message, read by its recipient."""
    alice = await app.agent("alice", display_name="Al", agent_name="Team")
    bob = await app.agent("bob")
    file = {"filename": "a b.txt", "content_base64": "aGVsbG8="}
    sent = await alice.send(
        bob,
        "# Title\n\n- [x] *done*\n\n<b>raw</b> ![i](http://x/i.png)",
        subject="greeting",
        priority="urgent",
        thread_name="A talk",
        type="request",
        correlation_id="c-1",
        attachments=[file],
    )
    app.clock.advance(1)
    assert (await bob.get(f"/api/messages/{sent['id']}")).status_code == 200
    return Scene(alice, bob, sent)


async def test_a_message_is_shown_as_the_server_has_it(owner: Browser, scene: Scene) -> None:
    sent = scene.sent

    shown = await owner.done("GET", f"/admin/messages/{sent['id']}")

    read_at = shown["recipient_read_at"]
    al = {"id": "alice", "agent_name": "Team", "display_name": "Al", "deleted": False}
    bob = {"id": "bob", "agent_name": None, "display_name": None, "deleted": False}
    assert read_at > sent["created_at"]
    assert shown == {
        "id": sent["id"],
        "thread_id": sent["thread_id"],
        "thread_title": "A talk",
        "from": al,
        "to": bob,
        "subject": "greeting",
        "preview": "Title [x] done <b>raw</b> i",
        "priority": "urgent",
        "type": "request",
        "announced_at": None,
        "has_attachments": True,
        "reply_to": None,
        "created_at": sent["created_at"],
        "deliveries": [
            {
                "mailbox": al,
                "role": "sender",
                "folder": "sent",
                "announced_at": None,
                "read_at": sent["created_at"],
                "flagged": False,
                "present": True,
            },
            {
                "mailbox": bob,
                "role": "recipient",
                "folder": "inbox",
                "announced_at": None,
                "read_at": read_at,
                "flagged": False,
                "present": True,
            },
        ],
        "attachments": sent["attachments"],
        "recipient_announced_at": None,
        "recipient_read_at": read_at,
        "correlation_id": "c-1",
        "to_name": None,
        "body": "# Title\n\n- [x] *done*\n\n<b>raw</b> ![i](http://x/i.png)",
        "body_tree": [
            ["h1", {}, "Title"],
            ["ul", {}, ["li", {}, ["input", {"checked": True}], " ", ["em", {}, "done"]]],
            ["p", {}, "<b>raw</b> ", ["a", {"href": "http://x/i.png"}, "i"]],
        ],
    }


async def test_a_list_shows_messages_without_their_bodies(owner: Browser, scene: Scene) -> None:
    await scene.bob.send(scene.alice, "answer", priority="low", reply_to=scene.sent["id"])

    page = await owner.done("GET", "/admin/messages")

    assert [each["preview"] for each in page["messages"]] == [
        "answer",
        "Title [x] done <b>raw</b> i",
    ]
    assert (page["total"], page["total_capped"], page["next"]) == (2, False, None)
    for each in page["messages"]:
        assert not {"body", "body_tree", "seq", "folder", "role", "read_at", "flagged"} & set(each)
        assert [copy["role"] for copy in each["deliveries"]] == ["sender", "recipient"]


@pytest.mark.parametrize(
    ("query", "previews"),
    [
        ({}, ["three", "two", "one"]),
        ({"agent": "alice"}, ["two", "one"]),
        ({"agent": "alice,eve"}, ["three", "two", "one"]),
        ({"agent": "nobody"}, []),
        ({"search": "two"}, ["two"]),
        ({"unread_only": "true"}, ["three", "two"]),
        ({"priority": "high"}, ["three", "one"]),
        ({"limit": 1}, ["three"]),
        ({"limit": 1, "offset": 1}, ["two"]),
    ],
    ids=str,
)
async def test_messages_and_threads_are_filtered(
    app: RunningApp, owner: Browser, query: dict[str, Any], previews: list[str]
) -> None:
    alice, bob, eve = [await app.agent(name) for name in ("alice", "bob", "eve")]
    one = await alice.send(bob, "one", priority="high")
    await bob.send(alice, "two")
    await eve.send(bob, "three", priority="urgent")
    await bob.get(f"/api/messages/{one['id']}")

    messages = (await owner.get("/admin/messages", **query)).json()
    threads = (await owner.get("/admin/threads", **query)).json()

    assert [each["preview"] for each in messages["messages"]] == previews
    assert [each["last_message"]["preview"] for each in threads["threads"]] == previews
    total = 3 if "limit" in query else len(previews)
    assert messages["total"] == threads["total"] == total


async def test_pages_of_threads_follow_each_other(app: RunningApp, owner: Browser) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    ids = [(await alice.send(bob, str(number)))["thread_id"] for number in range(5)]
    await bob.send(alice, "again", thread_id=ids[1])

    found, before = [], None
    for _ in range(3):
        query: dict[str, int] = {} if before is None else {"before": before}
        page = (await owner.get("/admin/threads", limit=2, **query)).json()
        found += [each["id"] for each in page["threads"]]
        before = page["next"]

    assert found == [ids[1], ids[4], ids[3], ids[2], ids[0]]
    assert before is None


async def test_a_thread_is_what_all_its_copies_tell(owner: Browser, scene: Scene) -> None:
    answer = await scene.bob.send(scene.alice, "answer", reply_to=scene.sent["id"])
    await scene.bob.post("/api/messages/delete", {"ids": [scene.sent["id"]], "permanent": True})

    read = await owner.done("GET", f"/admin/threads/{scene.sent['thread_id']}")

    thread = read["thread"]
    assert (thread["title"], thread["named_by"]["id"]) == ("A talk", "alice")
    assert [party["id"] for party in thread["participants"]] == ["alice", "bob"]
    assert (thread["message_count"], thread["unread_count"], read["total"]) == (2, 1, 2)
    assert (thread["priority"], thread["last_message"]["id"]) == ("urgent", answer["id"])
    assert thread["last_activity_at"] == answer["created_at"]
    assert [each["id"] for each in read["messages"]] == [scene.sent["id"], answer["id"]]
    gone = read["messages"][0]["deliveries"][1]
    assert (gone["present"], gone["folder"]) == (False, None)
    assert gone["read_at"] is not None
    assert read["messages"][1]["body_tree"] == [["p", {}, "answer"]]


async def test_a_thread_that_is_polled_comes_without_bodies(owner: Browser, scene: Scene) -> None:
    path = f"/admin/threads/{scene.sent['thread_id']}"
    await scene.bob.send(scene.alice, "answer", reply_to=scene.sent["id"])

    whole = (await owner.get(path)).json()
    light = (await owner.get(path, bodies="false")).json()
    last = (await owner.get(path, bodies="false", newest_first="true", limit=1)).json()

    for message in whole["messages"]:
        del message["body"], message["body_tree"]
    assert light == whole
    assert [each["preview"] for each in last["messages"]] == ["answer"]


async def test_a_page_of_a_thread_ends_before_its_bodies_pass_a_megabyte(
    app: RunningApp, owner: Browser
) -> None:
    alice, bob = await app.agent(), await app.agent()
    body = "é" * (MEGABYTE // 8)  # two bytes each: four of them are a megabyte
    first = await alice.send(bob, body)
    for _ in range(5):
        await alice.send(bob, body, thread_id=first["thread_id"])
    path = f"/admin/threads/{first['thread_id']}"

    whole = (await owner.get(path)).json()
    rest = (await owner.get(path, offset=4)).json()
    light = (await owner.get(path, bodies="false")).json()

    assert [len(each["messages"]) for each in (whole, rest, light)] == [4, 2, 6]
    assert [each["total"] for each in (whole, rest, light)] == [6, 6, 6]


async def test_a_file_is_downloaded_as_agents_do(owner: Browser, scene: Scene) -> None:
    file = scene.sent["attachments"][0]
    path = f"/admin/attachments/{file['id']}"
    # Both copies but one are gone, and so is the sender's mailbox: the file is there.
    await scene.bob.post("/api/messages/delete", {"ids": [scene.sent["id"]], "permanent": True})

    answer = await owner.get(path)

    assert (answer.status_code, answer.content) == (200, b"hello")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a b.txt"'
    assert answer.headers["ETag"] == f'"{file["sha256"]}"'
    part = await owner.ask("GET", path, headers={"Range": "bytes=1-2"})
    assert (part.status_code, part.content) == (206, b"el")
    known = await owner.ask("GET", path, headers={"If-None-Match": answer.headers["ETag"]})
    assert known.status_code == 304
    await scene.alice.post("/api/messages/delete", {"ids": [scene.sent["id"]], "permanent": True})
    assert_problem(await owner.get(path), 404, "attachment_not_found")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/admin/messages/msg_0123456789", "message_not_found"),
        ("/admin/threads/thr_0123456789", "thread_not_found"),
        ("/admin/attachments/att_0123456789", "attachment_not_found"),
    ],
)
async def test_what_is_not_there(owner: Browser, path: str, code: str) -> None:
    assert_problem(await owner.get(path), 404, code)
    star = await owner.ask("GET", path, headers={"If-None-Match": "*"})
    assert_problem(star, 404, code)


async def test_agents_are_named_in_one_way_alone(owner: Browser) -> None:
    answer = await owner.get("/admin/threads", agent="a", agent_name="b")

    problem = assert_problem(answer, 400, "invalid_request")
    assert [fault["field"] for fault in problem["errors"]] == ["agent_name"]


async def test_promise_9_reading_in_the_console_leaves_every_copy_as_it_is(
    app: RunningApp, owner: Browser
) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    sent = await alice.send(bob)
    copies = [await each.get("/api/messages", folder="all") for each in (alice, bob)]

    for path in (
        "/admin/overview",
        "/admin/messages?search=hello",
        "/admin/threads?unread_only=true",
        f"/admin/messages/{sent['id']}",
        f"/admin/threads/{sent['thread_id']}",
        "/admin/mailboxes/empty",
    ):
        assert (await owner.get(path)).status_code == 200
    await owner.done("PATCH", "/admin/mailboxes/alice", {"display_name": None})

    again = [await each.get("/api/messages", folder="all") for each in (alice, bob)]
    assert [each.json() for each in again] == [each.json() for each in copies]
    assert copies[1].json()["messages"][0]["read_at"] is None


def test_promise_9_no_route_of_the_console_sends_or_changes_a_message() -> None:
    writes = {
        route.path
        for route in ALL_ROUTES
        if route.path.startswith("/admin/") and route.method != "GET"
    }

    of_mail = ("messages", "threads", "attachments", "folders")
    assert not [path for path in writes if path.split("/")[2] in of_mail]
