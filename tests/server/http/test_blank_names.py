"""A name of which nothing can be seen is no name, wherever one is given."""

import pytest

from support.app import RunningApp

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


async def test_a_name_with_a_joiner_inside_is_one(app: RunningApp) -> None:
    family = "\N{MAN}\u200d\N{WOMAN}"
    alice = await app.agent("alice", display_name=family)

    assert (await alice.get("/api/agents/alice")).json()["display_name"] == family
