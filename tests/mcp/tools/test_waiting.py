"""`wait_for_message`, on a real application."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import anyio.lowlevel
import pytest

from support.app import RunningApp, running_app
from support.mcp_agent import Agent, agent_at

pytestmark = pytest.mark.anyio


async def until_waiting(app: RunningApp, *, waiting: bool = True) -> None:
    """Returns once a wait is open, or none is any more."""
    async with asyncio.timeout(5):
        while bool(app.hub.keys_in_use()) is not waiting:
            await anyio.lowlevel.checkpoint()


async def send(sender: Agent, recipient: Agent, **fields: object) -> str:
    draft = {"to": await recipient.session.address(), "subject": "Parser", "body": "hello"}
    return await sender.call("send_message", **{**draft, **fields})


async def test_a_message_that_arrives_after_the_call_ends_it(
    app: RunningApp, planner: Agent, coder: Agent
) -> None:
    early = await send(planner, coder)
    waiting = asyncio.create_task(coder.call("wait_for_message"))
    await until_waiting(app)
    late = await send(planner, coder)
    text = await waiting
    assert text.startswith("1 message arrived. Next: read_message with its id.\n- msg_")
    assert late.split()[1] in text
    assert early.split()[1] not in text


async def test_time_running_out_is_a_plain_result(planner: Agent, coder: Agent) -> None:
    await send(planner, coder)
    text = await coder.call("wait_for_message", timeout_seconds=0.05)
    assert text.startswith("No message arrived within 0.05 seconds. Wait again, or go on")


async def test_a_wait_of_no_time_looks_once(planner: Agent) -> None:
    assert "within 0 seconds" in await planner.call("wait_for_message", timeout_seconds=0)


async def test_a_wait_for_one_sender_passes_over_the_others(
    app: RunningApp, tmp_path: Path, planner: Agent, coder: Agent
) -> None:
    address = await planner.session.address()
    async with agent_at(app, tmp_path / "noisy") as noisy:
        waiting = asyncio.create_task(coder.call("wait_for_message", from_=address))
        await until_waiting(app)
        other = await send(noisy, coder)
        wanted = await send(planner, coder)
        text = await waiting
    assert wanted.split()[1] in text
    assert other.split()[1] not in text
    assert text.endswith("Meanwhile 1 other message arrived: list_messages shows them.")


async def test_a_wait_for_one_thread_passes_over_the_others(
    app: RunningApp, planner: Agent, coder: Agent
) -> None:
    found = re.search("thr_[0-9a-f]+", await send(planner, coder))
    assert found is not None
    waiting = asyncio.create_task(coder.call("wait_for_message", thread_id=found[0]))
    await until_waiting(app)
    await send(planner, coder, subject="Another matter")
    wanted = await planner.call("send_message", thread_id=found[0], body="go on")
    assert wanted.split()[1] in await waiting


async def test_a_wait_ends_on_the_server_when_the_client_cancels_it(
    app: RunningApp, coder: Agent
) -> None:
    waiting = asyncio.create_task(coder.call("wait_for_message"))
    await until_waiting(app)
    waiting.cancel()
    await until_waiting(app, waiting=False)


async def test_other_calls_are_answered_while_a_wait_is_open(
    app: RunningApp, planner: Agent, coder: Agent
) -> None:
    waiting = asyncio.create_task(coder.call("wait_for_message"))
    await until_waiting(app)
    assert "Address: box_" in await coder.call("whoami")
    await send(planner, coder)
    await waiting


async def test_a_wait_does_not_count_as_a_watcher(app: RunningApp, coder: Agent) -> None:
    waiting = asyncio.create_task(coder.call("wait_for_message"))
    await until_waiting(app)
    assert "Notifications: NOT armed" in await coder.call("whoami")
    waiting.cancel()
    await until_waiting(app, waiting=False)


@pytest.fixture
async def hasty_app(tmp_path: Path) -> AsyncIterator[RunningApp]:
    """An application that ends every wait at once."""
    folder = tmp_path / "hasty"
    folder.mkdir()
    async with running_app(folder, max_wait=timedelta()) as app:
        yield app


async def test_a_message_between_two_waits_on_the_server_is_not_missed(
    hasty_app: RunningApp, tmp_path: Path
) -> None:
    """The server's waits are over at once, so whatever arrives arrives between two of them."""
    reported: list[tuple[float, float | None]] = []
    one_is_over = asyncio.Event()

    async def report(progress: float, total: float | None, message: str | None) -> None:
        assert message == "no message yet"
        reported.append((progress, total))
        one_is_over.set()

    async with agent_at(hasty_app, tmp_path / "coder") as coder:
        address = await coder.session.address()
        waiting = asyncio.create_task(
            coder.client.call_tool(
                "wait_for_message", {"timeout_seconds": 20}, progress_callback=report
            )
        )
        await asyncio.wait_for(one_is_over.wait(), 5)
        await (await hasty_app.agent()).post(
            "/api/messages", {"to": address, "subject": "a", "body": "b"}
        )
        result = await waiting
    assert "1 message arrived" in str(result.content)
    assert not result.is_error
    assert reported[0][1] == 20
