"""`attach_to_mailbox`: checked first, taken from nobody, returned to at the next start."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from messenger_core.tools.mailboxes import NEW_ADDRESS
from messenger_mcp.file_lock import FileLock
from messenger_mcp.state_dir import StateDir
from messenger_mcp.watch_lock import take_watch_lock
from support.app import RunningApp, until
from support.mcp_agent import LOCAL, Agent
from support.project import Project, address_in

pytestmark = pytest.mark.anyio


async def whoami(agent: Agent) -> str:
    return address_in(await agent.call("whoami"))


@asynccontextmanager
async def watched(project: Project, address: str) -> AsyncIterator[None]:
    """A watcher holds a wait on the mailbox."""
    watcher = project.at(address)
    waiting = asyncio.create_task(watcher.get("/api/wait", watcher=True, timeout_seconds=30))

    async def holds() -> bool:
        status = (await watcher.get("/api/mailbox")).json()
        return bool(status["watcher"]["waiting"])

    await until(holds)
    yield
    waiting.cancel()


async def test_the_session_reads_and_sends_as_the_attached_mailbox(project: Project) -> None:
    earlier = await project.ended_session("one", received=2)
    friend = await project.ended_session("friend")
    async with project.session("two") as agent:
        own = await whoami(agent)
        text = await agent.call("attach_to_mailbox", address=earlier)
        assert text.startswith(f"You work mailbox `{earlier}` now,")
        assert f"Your own is `{own}`" in text
        assert "Already there: 2 unread messages (list_messages)." in text
        assert "Notifications: NOT armed" in text
        assert "letter 1" in await agent.call("list_messages")
        await agent.call("send_message", to=friend, subject="a", body="b")
    (sent,) = (await project.at(friend).get("/api/messages")).json()["messages"]
    assert sent["from"]["id"] == earlier


async def test_the_next_start_of_the_session_returns_to_the_attached_mailbox(
    project: Project,
) -> None:
    earlier = await project.ended_session("one", received=1)
    async with project.session("two") as agent:
        own = await whoami(agent)
        await agent.call("attach_to_mailbox", address=earlier)
    async with project.session("two") as agent:
        text = await agent.call("whoami")
        assert address_in(text) == earlier
        assert NEW_ADDRESS not in text
        assert f"You work your own mailbox `{own}` again." in await agent.call("attach_to_mailbox")
        assert await whoami(agent) == own
    async with project.session("two") as agent:
        assert await whoami(agent) == own


async def test_whoami_names_ones_own_address_first_and_the_way_back_while_attached(
    project: Project,
) -> None:
    earlier = await project.ended_session("one", received=1)
    async with project.session("two") as agent:
        own = await whoami(agent)
        await agent.call("attach_to_mailbox", address=earlier)
        said = await agent.call("whoami")
    async with project.session("two") as agent:
        for text in (said, await agent.call("whoami")):
            first, second = text.splitlines()[:2]
            assert first == f"Address: {own} (your own)"
            assert second.startswith(f"Attached to: {earlier}. ")
            assert "attach_to_mailbox without `address` goes back to your own" in second
        await agent.call("attach_to_mailbox")
        assert "Attached to" not in await agent.call("whoami")


async def test_ones_own_address_goes_back_like_none(project: Project) -> None:
    earlier = await project.ended_session("one", received=1)
    async with project.session("two") as agent:
        own = await whoami(agent)
        await agent.call("attach_to_mailbox", address=earlier)
        text = await agent.call("attach_to_mailbox", address=own)
        assert f"You work your own mailbox `{own}` again." in text
        # It was made for this session: whoever wrote with another one before is told again.
        assert NEW_ADDRESS in text


async def test_attaching_takes_the_mailbox_from_nobody(project: Project) -> None:
    async with project.session("one") as first, project.session("two") as second:
        shared = await whoami(first)
        await second.call("attach_to_mailbox", address=shared)
        assert await whoami(first) == await whoami(second) == shared
    async with project.session("one") as first:
        assert await whoami(first) == shared
        async with project.session("two") as second:
            assert await whoami(second) == shared
            assert await whoami(first) == shared


@pytest.mark.parametrize(
    "address", ["box_0123456789abcdef", "not-there", "Some Name", "../agents/me"]
)
async def test_an_unknown_mailbox_is_not_found_and_nothing_changes(
    project: Project, address: str
) -> None:
    async with project.session("one") as agent:
        own = await whoami(agent)
        text = await agent.refused("attach_to_mailbox", address=address)
        assert text.startswith("Not attached: mailbox not found: ")
        assert f"Nothing changed: you still work `{own}`." in text
        assert await whoami(agent) == own
        assert address not in await agent.call("list_agents")
    async with project.session("one") as agent:
        assert await whoami(agent) == own


async def test_the_mailbox_of_another_agent_is_refused_and_nothing_changes(
    project: Project, app: RunningApp
) -> None:
    planner = await app.create_key("of the planner", agent="Planner")
    coder = await app.create_key("of the coder", agent="Coder")
    async with project.session("one", key=planner) as agent:
        foreign = await whoami(agent)
    async with project.session("two", key=coder) as agent:
        own = await whoami(agent)
        text = await agent.refused("attach_to_mailbox", address=foreign)
        assert "the API key and the address do not belong together" in text
        assert await whoami(agent) == own
    async with project.session("two", key=coder) as agent:
        assert await whoami(agent) == own


async def test_an_attached_mailbox_keeps_its_agent(project: Project) -> None:
    async with project.session("one", settings={"MESSENGER_AGENT_NAME": "Planner"}) as agent:
        planners = await whoami(agent)
    coder = {"MESSENGER_AGENT_NAME": "Coder"}
    for _ in range(2):
        async with project.session("two", settings=coder) as agent:
            await agent.call("whoami")
            await agent.call("attach_to_mailbox", address=planners)
            assert "Agent: Planner" in await agent.call("whoami")


async def test_the_mailbox_being_worked_stays(project: Project) -> None:
    async with project.session("one") as agent:
        own = await whoami(agent)
        for arguments in ({}, {"address": own}):
            text = await agent.call("attach_to_mailbox", **arguments)
            assert text == f"You work mailbox `{own}` already; nothing changed."


async def test_a_watcher_that_still_stands_on_the_other_mailbox_is_named(project: Project) -> None:
    earlier = await project.ended_session("one")
    async with project.session("two") as agent:
        own = await whoami(agent)
        async with watched(project, own):
            text = await agent.call("attach_to_mailbox", address=earlier)
    assert f"A watcher is still armed on `{own}`" in text


async def test_a_watcher_process_of_this_machine_is_named_too(project: Project) -> None:
    earlier = await project.ended_session("one")
    async with project.session("two") as agent:
        own = await whoami(agent)
        lock = await take_watch_lock(StateDir(project.folder / "state"), LOCAL, own)
        assert isinstance(lock, FileLock)
        with lock:
            text = await agent.call("attach_to_mailbox", address=earlier)
    assert f"A watcher is still armed on `{own}`" in text


async def test_a_watcher_that_the_host_runs_for_the_session_is_left_to_follow(
    project: Project,
) -> None:
    earlier = await project.ended_session("one")
    plugin = {"MESSENGER_HANDOFF_AT_START": "1"}
    async with project.session("two", settings=plugin) as agent:
        own = await whoami(agent)
        lock = await take_watch_lock(StateDir(project.folder / "state"), LOCAL, own)
        assert isinstance(lock, FileLock)
        with lock:
            text = await agent.call("attach_to_mailbox", address=earlier)
    assert "follows to this mailbox by itself" in text
    assert "Stop it" not in text
    assert "NOT armed" not in text


async def test_no_return_after_a_restart_is_promised_where_nothing_can_be_kept(
    project: Project,
) -> None:
    earlier = await project.ended_session("one")
    async with project.session("two") as agent:
        await whoami(agent)
        await asyncio.to_thread(_spoil, project.folder / "state" / "mailboxes")
        text = await agent.call("attach_to_mailbox", address=earlier)
        assert text.startswith(f"You work mailbox `{earlier}` now, until you go back")
        assert "restart" not in text


def _spoil(folder: Path) -> None:
    """Puts a file where the registry's folder was."""
    folder.rename(folder.with_name("elsewhere"))
    folder.write_text("in the way", "utf-8")


async def test_nothing_is_said_of_a_watcher_where_none_stands(project: Project) -> None:
    earlier = await project.ended_session("one")
    async with project.session("two") as agent:
        assert "still armed" not in await agent.call("attach_to_mailbox", address=earlier)


async def test_notifications_are_those_of_the_attached_mailbox(project: Project) -> None:
    earlier = await project.ended_session("one")
    async with project.session("two") as agent:
        await agent.call("attach_to_mailbox", address=earlier)
        assert f"--watch {earlier}\n" in await agent.call("enable_notifications")


async def test_an_attached_mailbox_that_is_deleted_leads_back_to_ones_own(project: Project) -> None:
    earlier = await project.ended_session("one")
    async with project.session("two") as agent:
        own = await whoami(agent)
        await agent.call("attach_to_mailbox", address=earlier)
        await project.purge(earlier)
        text = await agent.refused("list_messages")
        assert f"The mailbox {earlier} is gone" in text
        assert f"The next call works your own mailbox again, {own}." in text
        assert await whoami(agent) == own


async def test_an_attached_fixed_address_that_was_deleted_is_not_made_again(
    project: Project,
) -> None:
    async with project.session("one", settings={"MESSENGER_AGENT_ID": "builder"}) as agent:
        await agent.call("whoami")
    async with project.session("two") as agent:
        own = await whoami(agent)
        await agent.call("attach_to_mailbox", address="builder")
        assert await whoami(agent) == "builder"
    async with project.session("two") as agent:
        assert await whoami(agent) == "builder"
    await project.purge("builder")
    async with project.session("two") as agent:
        assert await whoami(agent) == own
        assert "builder" not in await agent.call("list_agents")


async def test_a_session_with_a_fixed_address_attaches_until_its_end(project: Project) -> None:
    earlier = await project.ended_session("one")
    fixed = {"MESSENGER_AGENT_ID": "builder"}
    async with project.session("two", settings=fixed) as agent:
        await agent.call("attach_to_mailbox", address=earlier)
        assert await whoami(agent) == earlier
        assert "`builder` again" in await agent.call("attach_to_mailbox")
        await agent.call("attach_to_mailbox", address=earlier)
    async with project.session("two", settings=fixed) as agent:
        assert await whoami(agent) == "builder"


async def test_a_refused_way_back_changes_nothing(project: Project, app: RunningApp) -> None:
    earlier = await project.ended_session("one")
    async with project.session("two") as agent:
        await whoami(agent)
        await agent.call("attach_to_mailbox", address=earlier)
        await app.revoke_key("project")
        assert "revoked" in await agent.refused("attach_to_mailbox")
        assert agent.session.registration.worked == earlier
