"""A mailbox sees its own deliveries alone: on every route, another's things are not there."""

from typing import Any

import pytest

from messenger_server.app import ROUTES
from support.app import Agent, RunningApp

_SECRET = "eyes-only"


class Scene:
    """Two mailboxes that correspond, and a third one that has nothing to do with them."""

    def __init__(self, alice: Agent, bob: Agent, eve: Agent, sent: dict[str, Any]) -> None:
        self.alice = alice
        self.bob = bob
        self.eve = eve
        self.message_id: str = sent["id"]
        self.attachment_id: str = sent["attachments"][0]["id"]
        self.thread_id: str = sent["thread_id"]


@pytest.fixture
async def scene(app: RunningApp) -> Scene:
    """One message from alice to bob."""
    key = await app.create_key()
    alice, bob, eve = [await app.agent(name, key=key) for name in ("alice", "bob", "eve")]
    file = {"filename": _SECRET, "content_base64": ""}
    sent = await alice.send(bob, _SECRET, subject=_SECRET, thread_name=_SECRET, attachments=[file])
    return Scene(alice, bob, eve, sent)


def test_every_route_has_its_isolation_checked_here() -> None:
    checked = {
        ("GET", "/health"),  # shows no mailbox
        ("POST", "/api/agents/register"),
        ("GET", "/api/agents"),
        ("GET", "/api/agents/{address}"),
        ("PATCH", "/api/agents/me"),
        ("GET", "/api/mailbox"),
        ("POST", "/api/messages"),
        ("GET", "/api/messages"),
        ("GET", "/api/messages/{message_id}"),
        ("POST", "/api/messages/mark"),
        ("POST", "/api/messages/move"),
        ("POST", "/api/messages/delete"),
        ("GET", "/api/folders"),
        ("POST", "/api/folders"),
        ("DELETE", "/api/folders/{name}"),
        ("GET", "/api/links"),
        ("GET", "/api/attachments/{attachment_id}"),
        ("GET", "/api/threads"),
        ("GET", "/api/threads/{thread_id}"),
        ("PATCH", "/api/threads/{thread_id}"),
        ("GET", "/api/wait"),
    }

    assert {(route.method, route.path) for route in ROUTES} == checked


async def test_promise_6_lists_show_nothing_of_others(scene: Scene) -> None:
    for query in ({}, {"folder": "all"}, {"folder": "sent"}, {"search": _SECRET}):
        page = (await scene.eve.get("/api/messages", **query)).json()
        assert (page["messages"], page["total"]) == ([], 0)
    for query in (
        {"thread_id": scene.thread_id},
        {"from_": "alice"},
        {"folder": "all", "from_": "alice"},
    ):
        page = (await scene.eve.get("/api/messages", **query)).json()
        assert page["messages"] == []
    for query in ({}, {"search": _SECRET}, {"with_mailbox": "alice"}):
        page = (await scene.eve.get("/api/threads", **query)).json()
        assert (page["threads"], page["total"]) == ([], 0)
    assert (await scene.bob.get("/api/messages", search=_SECRET)).json()["total"] == 1
    assert (await scene.bob.get("/api/threads", search=_SECRET)).json()["total"] == 1


@pytest.mark.parametrize(
    ("method", "of", "body"),
    [
        ("GET", "/api/messages/{}", None),
        ("GET", "/api/threads/{}", None),
        ("PATCH", "/api/threads/{}", {"title": "taken over"}),
        ("GET", "/api/attachments/{}", None),
    ],
)
async def test_promise_6_a_foreign_id_and_an_unknown_one_are_the_same_answer(
    scene: Scene, method: str, of: str, body: object
) -> None:
    ids = {"messages": scene.message_id, "threads": scene.thread_id}
    foreign = ids.get(of.split("/")[2], scene.attachment_id)
    unknown = foreign[:-4] + ("0000" if not foreign.endswith("0000") else "1111")

    answers = [
        await scene.eve.ask(method, of.format(each), json=body) for each in (foreign, unknown)
    ]

    assert [answer.status_code for answer in answers] == [404, 404]
    details = [answer.text.replace(foreign, "?").replace(unknown, "?") for answer in answers]
    assert details[0] == details[1]


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("mark", {"read": True, "flagged": True}),
        ("move", {"folder": "archive"}),
        ("delete", {"permanent": True}),
    ],
)
async def test_filing_takes_a_foreign_id_for_an_unknown_one(
    scene: Scene, path: str, more: dict[str, Any]
) -> None:
    ids = [scene.message_id, "msg_0123456789"]

    answer = await scene.eve.post(f"/api/messages/{path}", {"ids": ids, **more})

    assert (answer.status_code, answer.json()) == (200, {"changed": [], "unknown": ids})
    inbox = (await scene.bob.get("/api/messages")).json()["messages"]
    assert [(each["id"], each["read_at"], each["flagged"]) for each in inbox] == [
        (scene.message_id, None, False)
    ]


async def test_folders_and_links_are_a_mailboxs_own(scene: Scene) -> None:
    await scene.bob.post("/api/folders", {"name": _SECRET})

    folders = (await scene.eve.get("/api/folders")).json()["folders"]
    assert [each["name"] for each in folders] == ["inbox", "sent", "archive", "trash"]
    assert (await scene.eve.get("/api/links")).json() == {"links": []}
    for answer in (
        await scene.eve.ask("DELETE", f"/api/folders/{_SECRET}"),
        await scene.eve.get("/api/messages", folder=_SECRET),
        await scene.eve.post("/api/messages/move", {"ids": ["x"], "folder": _SECRET}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "folder_not_found")
    assert (await scene.eve.post("/api/folders", {"name": _SECRET})).status_code == 201
    await scene.eve.ask("DELETE", f"/api/folders/{_SECRET}")
    names = [each["name"] for each in (await scene.bob.get("/api/folders")).json()["folders"]]
    assert _SECRET in names


async def test_a_send_cannot_reach_into_a_foreign_thread(scene: Scene) -> None:
    for reach in ({"reply_to": scene.message_id}, {"thread_id": scene.thread_id}):
        answer = await scene.eve.post("/api/messages", {"to": "bob", "body": "me too", **reach})
        assert answer.status_code == 404
    assert (await scene.bob.get("/api/messages")).json()["total"] == 1


async def test_the_directory_shows_addresses_and_no_mail(scene: Scene) -> None:
    for path in ("/api/agents", "/api/agents/bob", "/api/mailbox"):
        answer = await scene.eve.get(path)
        assert answer.status_code == 200
        assert _SECRET not in answer.text
    assert {
        folder["total"] for folder in (await scene.eve.get("/api/mailbox")).json()["folders"]
    } == {0}


async def test_a_rename_touches_the_caller_alone(scene: Scene) -> None:
    await scene.eve.patch("/api/agents/me", {"display_name": "Eve", "description": "listens"})

    for of in (scene.alice, scene.bob):
        mailbox = (await of.get("/api/mailbox")).json()["mailbox"]
        assert (mailbox["display_name"], mailbox["description"]) == (None, None)


async def test_reading_marks_the_readers_copy_alone(scene: Scene) -> None:
    mine = (await scene.alice.get(f"/api/messages/{scene.message_id}")).json()
    assert mine["recipient_read_at"] is None

    read = (await scene.bob.get(f"/api/messages/{scene.message_id}")).json()

    assert read["read_at"] is not None
    assert (await scene.eve.get("/api/messages", unread_only=True)).json()["total"] == 0


async def test_a_wait_hands_over_what_its_own_mailbox_received(scene: Scene) -> None:
    waits = [
        (await of.get("/api/wait", after=0, timeout_seconds=0, watcher=True)).json()
        for of in (scene.alice, scene.bob, scene.eve)
    ]

    assert [len(wait["messages"]) for wait in waits] == [0, 1, 0]
    marked = (await scene.bob.get(f"/api/messages/{scene.message_id}")).json()
    assert marked["id"] == scene.message_id


async def test_registering_a_mailbox_of_another_agent_is_refused(app: RunningApp) -> None:
    red, blue = await app.create_key("r", agent="red"), await app.create_key("b", agent="blue")
    box = await app.agent(key=red)

    answer = await app.stranger(blue, box.address).post("/api/agents/register", {})

    assert (answer.status_code, answer.json()["code"]) == (403, "mailbox_not_yours")
