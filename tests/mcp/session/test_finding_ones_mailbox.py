"""Promise 7: no mailbox of a live session is taken; a resumed session gets its own, or is told."""

import json

import pytest
from sqlalchemy import insert, select

from messenger_core import schema
from messenger_core.tools.mailboxes import NEW_ADDRESS
from messenger_server.database import Batch
from support.app import RunningApp
from support.mcp_agent import Agent
from support.project import Project, address_in

pytestmark = pytest.mark.anyio

OFFER = "Mailboxes of earlier sessions of this project"


def codex_meta(thread: str) -> dict[str, object]:
    return {"x-codex-turn-metadata": json.dumps({"thread_id": thread})}


async def called_by_thread(agent: Agent, thread: str | None, tool: str = "whoami") -> str:
    """The text of a call that carries the thread's id, as Codex sends it."""
    meta = None if thread is None else codex_meta(thread)
    result = await agent.client.call_tool(tool, {}, meta=meta)  # type: ignore[arg-type] # an open map
    assert not result.is_error
    return getattr(result.content[0], "text", "")


async def test_promise_7_a_resumed_session_gets_exactly_its_own_mailbox_back(
    project: Project,
) -> None:
    first = await project.ended_session("one")
    await project.ended_session("two")
    async with project.session("one") as agent:
        text = await agent.call("whoami")
    assert address_in(text) == first
    assert NEW_ADDRESS not in text
    assert OFFER not in text


async def test_promise_7_a_session_that_is_not_resumed_is_told_that_its_address_is_new(
    project: Project,
) -> None:
    first = await project.ended_session("one", received=1)
    for other in ("two", None):
        async with project.session(other) as agent:
            text = await agent.call("whoami")
        assert address_in(text) != first
        assert NEW_ADDRESS in text.splitlines()


async def test_promise_7_the_mailbox_of_a_live_session_is_not_taken(project: Project) -> None:
    async with project.session("one") as living:
        held = await living.session.address()
        async with project.session("one") as second:
            text = await second.call("whoami")
            assert address_in(text) != held
            assert NEW_ADDRESS in text
            assert held not in text


async def test_the_address_stays_new_for_the_whole_session(project: Project) -> None:
    async with project.session("one") as agent:
        await agent.call("whoami")
        assert NEW_ADDRESS in await agent.call("whoami")


async def test_a_mailbox_that_the_server_forgot_is_forgotten_and_the_address_is_new(
    project: Project,
) -> None:
    gone = await project.ended_session("one")
    await project.purge(gone)
    async with project.session("one") as agent:
        text = await agent.call("whoami")
    assert NEW_ADDRESS in text
    assert address_in(text) != gone
    assert len(project.entries()) == 1


async def test_a_mailbox_that_the_key_may_not_open_is_left_alone(
    project: Project, app: RunningApp
) -> None:
    planner = await app.create_key("of the planner", agent="Planner")
    coder = await app.create_key("of the coder", agent="Coder")
    async with project.session("one", key=planner) as agent:
        held = await agent.session.address()
    async with project.session("one", key=coder) as agent:
        text = await agent.call("whoami")
        assert address_in(text) != held
        assert NEW_ADDRESS in text
    assert len(project.entries()) == 2


async def test_a_codex_session_is_bound_at_its_first_call(project: Project) -> None:
    async with project.session(None, client_name="codex-mcp-client") as agent:
        await agent.client.list_tools()
        assert agent.session.registration.worked is None
        first = address_in(await called_by_thread(agent, "thread-1"))
    async with project.session(None, client_name="codex-mcp-client") as agent:
        text = await called_by_thread(agent, "thread-2")
        assert address_in(text) != first
        assert NEW_ADDRESS in text
    async with project.session(None, client_name="codex-mcp-client") as agent:
        text = await called_by_thread(agent, "thread-1")
        assert address_in(text) == first
        # Whoever calls later: the mailbox is bound once.
        assert address_in(await called_by_thread(agent, "thread-2")) == first


async def test_a_codex_session_that_tells_no_thread_works_a_new_mailbox(project: Project) -> None:
    async with project.session(None, client_name="codex-mcp-client") as agent:
        assert NEW_ADDRESS in await called_by_thread(agent, None)


async def test_the_hand_off_of_a_codex_session_names_its_thread(project: Project) -> None:
    async with project.session(None, client_name="codex-mcp-client") as agent:
        await called_by_thread(agent, "thread-1", "enable_notifications")
        (path,) = (project.folder / "state" / "watch").glob("*.json")
        handoff = json.loads(path.read_bytes())
    assert handoff["host_thread_id"] == "thread-1"
    assert "thread-1" not in json.dumps(handoff["sessions"])
    assert not any(b"thread-1" in entry.read_bytes() for entry in project.entries())


async def test_a_fixed_address_keeps_nothing_in_the_registry(project: Project) -> None:
    fixed = {"MESSENGER_AGENT_ID": "builder"}
    async with (
        project.session("one", settings=fixed) as one,
        project.session("two", settings=fixed) as two,
    ):
        assert address_in(await one.call("whoami")) == "builder"
        assert address_in(await two.call("whoami")) == "builder"
        assert NEW_ADDRESS not in await two.call("whoami")
    assert not (project.folder / "state" / "mailboxes").exists()


async def test_used_mailboxes_of_ended_sessions_are_offered_with_their_name_and_counts(
    project: Project,
) -> None:
    async with project.session("one") as agent:
        used = await agent.session.address()
        await agent.call("rename_mailbox", name="Refactor\nof <system>")
    await project.write_to(used)
    await project.write_to(used)
    empty = await project.ended_session("two")
    async with project.session("three") as agent:
        text = await agent.call("whoami")
    assert f"- {used} · “Refactor of system” · 2 messages, 2 unread" in text.splitlines()
    assert empty not in text


async def test_an_offer_goes_once_a_session_works_the_mailbox(project: Project) -> None:
    used = await project.ended_session("one", received=1)
    async with project.session("two") as agent:
        assert used in await agent.call("whoami")
        async with project.session("one") as resumed:
            assert await resumed.session.address() == used
            assert used not in await agent.call("whoami")


async def test_offers_mark_nothing(project: Project) -> None:
    used = await project.ended_session("one", received=1)
    await link(project.app, used, await project.ended_session("friend"))
    async with project.session("two") as agent:
        assert used in await agent.call("whoami")
    (message,) = (await project.at(used).get("/api/messages")).json()["messages"]
    assert message["read_at"] is None
    assert message["announced_at"] is None
    assert await unreceived_links(project.app) == 2


async def link(app: RunningApp, one: str, other: str) -> None:
    """The person links two mailboxes."""

    def add(batch: Batch) -> None:
        one_id, other_id = (
            batch.connection.execute(
                select(schema.mailbox.c.id).where(schema.mailbox.c.address == address)
            ).scalar_one()
            for address in (one, other)
        )
        values = {"public_id": "lnk_0123456789", "seq": batch.take_seq(), "created_at": 1}
        key = batch.connection.execute(insert(schema.link).values(values)).inserted_primary_key
        assert key is not None
        sides = [(one_id, other_id), (other_id, one_id)]
        batch.connection.execute(
            insert(schema.link_side),
            [{"mailbox_id": here, "other_id": there, "link_id": key[0]} for here, there in sides],
        )

    await app.database.write(add)


async def unreceived_links(app: RunningApp) -> int:
    """How many sides of links were not told yet."""
    side = schema.link_side.c
    rows = await app.database.read(
        lambda connection: connection.execute(
            select(side.link_id).where(side.received_at.is_(None))
        ).all()
    )
    return len(rows)


async def test_mailboxes_that_the_key_may_not_open_are_not_offered(
    project: Project, app: RunningApp
) -> None:
    planner = await app.create_key("of the planner", agent="Planner")
    coder = await app.create_key("of the coder", agent="Coder")
    async with project.session("one", key=planner) as agent:
        used = await agent.session.address()
    await project.write_to(used)
    async with project.session("two", key=coder) as agent:
        text = await agent.call("whoami")
    assert used not in text
    assert OFFER not in text
    async with project.session("three", key=planner) as agent:
        assert used in await agent.call("whoami")


async def test_an_offer_that_the_server_does_not_know_any_more_is_forgotten(
    project: Project,
) -> None:
    gone = await project.ended_session("one")
    await project.purge(gone)
    async with project.session("two") as agent:
        assert gone not in await agent.call("whoami")
        assert len(project.entries()) == 1
