"""A name of which nothing can be seen is no name, wherever one is given."""

import pytest

from support.app import RunningApp
from support.browser import Browser
from support.problems import assert_problem

_BLANKS = ["", "   ", "\u200b", "\u3164\u2800", "\u00a0\u2060\ufeff"]


@pytest.mark.parametrize("blank", _BLANKS)
async def test_a_blank_name_clears_that_of_a_mailbox_and_a_thread(
    app: RunningApp, blank: str
) -> None:
    alice, bob = await app.agent("alice", display_name="A"), await app.agent("bob")
    sent = await alice.send(bob, thread_name="T")

    mailbox = await alice.patch("/api/agents/me", {"display_name": blank, "description": blank})
    thread = await alice.patch(f"/api/threads/{sent['thread_id']}", {"title": blank})

    assert (mailbox.status_code, thread.status_code) == (200, 200)
    assert (mailbox.json()["display_name"], mailbox.json()["description"]) == (None, None)
    assert thread.json()["title"] == "greeting"  # the subject stands in


@pytest.mark.parametrize("blank", _BLANKS)
async def test_a_blank_name_is_none_at_the_registration_and_in_a_send(
    app: RunningApp, blank: str
) -> None:
    names = dict.fromkeys(("agent_name", "agent_description", "display_name"), blank)
    alice, bob = await app.agent("alice", **names), await app.agent("bob")
    sent = await alice.send(bob, thread_name="T")

    answered = await alice.send(bob, thread_id=sent["thread_id"], thread_name=blank)

    card = (await bob.get("/api/agents/alice")).json()
    assert {card[name] for name in names} == {None}
    thread = (await bob.get(f"/api/threads/{answered['thread_id']}")).json()["thread"]
    assert thread["title"] == "T"


@pytest.mark.parametrize("blank", _BLANKS)
@pytest.mark.parametrize("field", ["name", "agent_name", "vendor"])
async def test_a_key_needs_names_that_can_be_seen(owner: Browser, field: str, blank: str) -> None:
    key = {"name": "k", "agent_name": None, "lifetime_days": None}

    answer = await owner.post("/admin/keys", {**key, field: blank})

    problem = assert_problem(answer, 400, "invalid_request")
    assert problem["errors"][0]["field"] == field


@pytest.mark.parametrize("blank", _BLANKS)
async def test_a_rename_needs_a_name_that_can_be_seen(owner: Browser, blank: str) -> None:
    key = {"name": "k", "agent_name": None, "agent_description": blank, "lifetime_days": None}
    made = (await owner.done("POST", "/admin/keys", key))["key"]
    assert made["agent_description"] is None

    for path, field in ((f"/admin/keys/{made['id']}", "name"), ("/admin/account", "username")):
        answer = await owner.ask("PATCH", path, json={field: blank})

        problem = assert_problem(answer, 400, "invalid_request")
        assert problem["errors"][0]["field"] == field


@pytest.mark.parametrize("blank", _BLANKS)
async def test_a_blank_note_of_a_link_is_none(app: RunningApp, owner: Browser, blank: str) -> None:
    ends = [(await app.agent(name)).address for name in ("alice", "bob")]

    made = await owner.done("POST", "/admin/links", {"mailboxes": ends, "note": blank})

    assert made["note"] is None


async def test_control_and_direction_characters_are_stored_as_written(
    app: RunningApp, owner: Browser
) -> None:
    name = "a\x1b[31mb\x85c\u202ed"
    alice = await app.agent("alice", display_name=name)
    key = {"name": name, "agent_name": None, "lifetime_days": None}

    assert (await alice.get("/api/agents/alice")).json()["display_name"] == name
    assert (await owner.done("POST", "/admin/keys", key))["key"]["name"] == name


async def test_a_name_with_a_joiner_inside_is_one(app: RunningApp) -> None:
    family = "\N{MAN}\u200d\N{WOMAN}"
    alice = await app.agent("alice", display_name=family)

    assert (await alice.get("/api/agents/alice")).json()["display_name"] == family
