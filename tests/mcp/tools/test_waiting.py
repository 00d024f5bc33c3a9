"""`wait_for_message`, on a real application."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import anyio.lowlevel
import httpx2
import pytest

from messenger_mcp.config import ClientConfig
from support.app import RunningApp, running_app
from support.mcp_agent import LOCAL, Agent, agent_at, agent_of, asgi, session_config

pytestmark = pytest.mark.anyio


async def until_waiting(app: RunningApp, *, waiting: bool = True) -> None:
    """Returns once a wait is open, or none is any more."""
    async with asyncio.timeout(5):
        while bool(app.hub.keys_in_use()) is not waiting:
            await anyio.lowlevel.checkpoint()


class Line(httpx2.AsyncBaseTransport):
    """A way to the server that can be cut, also under an open wait."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner
        self.cut = asyncio.Event()
        self.waits = asyncio.Event()
        """A wait that takes time went through."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/api/wait" and float(request.url.params["timeout_seconds"]):
            self.waits.set()
        answer = asyncio.ensure_future(self._inner.handle_async_request(request))
        cut = asyncio.ensure_future(self.cut.wait())
        try:
            await asyncio.wait([answer, cut], return_when=asyncio.FIRST_COMPLETED)
            if cut.done():
                raise httpx2.ConnectError("the line is cut", request=request)
            return await answer
        finally:
            answer.cancel()
            cut.cancel()


async def settings_on(app: RunningApp, folder: Path) -> ClientConfig:
    return session_config(folder / "cut", url=LOCAL, key=await app.create_key("cut"))


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


async def test_time_running_out_points_to_an_answer_that_came_before_the_wait(
    planner: Agent, coder: Agent
) -> None:
    found = re.search("thr_[0-9a-f]+", await send(planner, coder))
    assert found is not None
    answer = await coder.call("send_message", thread_id=found[0], body="done already")
    text = await planner.call("wait_for_message", timeout_seconds=0.05, thread_id=found[0])
    assert text.startswith("No such message arrived within 0.05 seconds.")
    hint = text.splitlines()[1]
    assert hint.startswith(
        f"1 matching unread message is already in your inbox (newest: {answer.split()[1]} from "
    )
    assert hint.endswith("): list_messages with unread_only and the same thread_id.")


async def test_time_running_out_points_to_other_unread_mail_when_none_matches(
    planner: Agent, coder: Agent
) -> None:
    await send(planner, coder)
    last = await send(planner, coder)
    text = await coder.call("wait_for_message", timeout_seconds=0.05, thread_id="thr_" + "0" * 16)
    hint = text.splitlines()[1]
    assert hint.startswith(
        f"2 unread messages are already in your inbox (newest: {last.split()[1]}"
    )
    assert hint.endswith("): list_messages with unread_only.")


async def test_time_running_out_says_nothing_of_an_empty_inbox(planner: Agent) -> None:
    assert "\n" not in await planner.call("wait_for_message", timeout_seconds=0.05)


async def test_a_wait_outlives_an_outage_and_finds_what_came_meanwhile(
    app: RunningApp, tmp_path: Path, planner: Agent
) -> None:
    line = Line(asgi(app))
    async with agent_of(await settings_on(app, tmp_path), transport=line) as coder:
        await coder.session.address()
        waiting = asyncio.create_task(coder.call("wait_for_message", timeout_seconds=60))
        await asyncio.wait_for(line.waits.wait(), 5)
        await until_waiting(app)
        line.cut.set()
        await until_waiting(app, waiting=False)
        wanted = await send(planner, coder)
        line.cut.clear()
        text = await asyncio.wait_for(waiting, 10)
    assert text.startswith("1 message arrived.")
    assert wanted.split()[1] in text


async def test_a_wait_whose_server_stays_away_lasts_its_time_and_says_so(
    app: RunningApp, tmp_path: Path
) -> None:
    line = Line(asgi(app))
    async with agent_of(await settings_on(app, tmp_path), transport=line) as coder:
        await coder.session.address()
        waiting = asyncio.create_task(coder.call("wait_for_message", timeout_seconds=1))
        await asyncio.wait_for(line.waits.wait(), 5)
        await until_waiting(app)
        line.cut.set()
        text = await waiting
    assert text.startswith("No message arrived within 1 second")
    assert "The server was away at the end of the wait" in text


@pytest.mark.parametrize(
    ("seconds", "said"), [(1, "1 second."), (1e-9, "less than 0.001 seconds."), (0.25, "0.25 sec")]
)
async def test_the_time_of_a_wait_is_said_in_words(
    planner: Agent, seconds: float, said: str
) -> None:
    assert f"within {said}" in await planner.call("wait_for_message", timeout_seconds=seconds)


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
