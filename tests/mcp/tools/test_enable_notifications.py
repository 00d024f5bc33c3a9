"""`enable_notifications`, on a real application and a state folder of the test."""

import asyncio
import shlex
from pathlib import Path

import anyio.lowlevel
import httpx2
import msgspec
import pytest

from messenger_mcp.file_lock import FileLock
from messenger_mcp.handoff import HandOff, find_handoff
from messenger_mcp.state_dir import StateDir
from messenger_mcp.watch_lock import take_watch_lock
from support.app import RunningApp
from support.mcp_agent import LOCAL, Agent, agent_of, asgi, session_config

pytestmark = pytest.mark.anyio


def handoff_of(agent: Agent, address: str) -> HandOff:
    found = find_handoff(StateDir(agent.session.config.state_dir), address=address)
    assert found is not None
    return found


def command_in(text: str) -> str:
    (line,) = [line for line in text.splitlines() if line.startswith("  command:     ")]
    return line.removeprefix("  command:     ")


async def test_the_text_gives_the_exact_arguments_of_the_monitor(planner: Agent) -> None:
    address = await planner.session.address()
    text = await planner.call("enable_notifications")
    command = command_in(text)
    assert shlex.split(command)[-2:] == ["--watch", address]
    assert text == (
        f"Notifications enabled for mailbox `{address}`.\n"
        "\n"
        "Last step — call the Monitor tool now, with exactly these arguments:\n"
        f"  command:     {command}\n"
        "  description: Incoming messenger messages\n"
        "  timeout_ms:  1800000\n"
        "\n"
        "If the Monitor tool is not loaded, load it first (ToolSearch: select:Monitor).\n"
        "Each time the host says that the monitor expired or ended, arm it again with the same "
        "arguments.\n"
        "No unread mail is there now.\n"
        "On another host: run the command under anything that reads its lines as they come."
    )


async def test_the_hand_off_holds_what_the_watcher_needs(planner: Agent, coder: Agent) -> None:
    address = await coder.session.address()
    await planner.call("send_message", to=address, subject="a", body="b")
    text = await coder.call("enable_notifications")
    assert "Already there: 1 unread message (list_messages)." in text
    handoff = handoff_of(coder, address)
    assert (handoff.server_url, handoff.api_key) == (LOCAL, coder.session.config.api_key)
    assert handoff.head > 0
    assert handoff.api_key not in text


class _SendsBetween(httpx2.AsyncBaseTransport):
    """Lets a message arrive right after the first look at the mailbox."""

    def __init__(self, app: RunningApp, recipient: str) -> None:
        self._way = asgi(app)
        self._app = app
        self._recipient = recipient
        self._looks = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._way.handle_async_request(request)
        if request.url.path == "/api/mailbox":
            self._looks += 1
            if self._looks == 1:
                sender = await self._app.agent()
                draft = {"to": self._recipient, "subject": "a", "body": "b"}
                assert (await sender.post("/api/messages", draft)).status_code == 201
        return response


async def test_what_arrives_while_it_is_prepared_is_not_lost(
    app: RunningApp, tmp_path: Path
) -> None:
    """The head is read before the unread mail is counted: it may be told twice, never not."""
    key = await app.create_key()
    config = session_config(
        tmp_path, url=LOCAL, key=key, settings={"MESSENGER_AGENT_ID": "builder"}
    )
    async with agent_of(config, transport=_SendsBetween(app, "builder")) as agent:
        text = await agent.call("enable_notifications")
        assert "Already there: 1 unread message" in text
        watcher = app.stranger(key, "builder")
        after = handoff_of(agent, "builder").head
        arrived = await watcher.get("/api/wait", after=after, timeout_seconds=0)
    assert len(arrived.json()["messages"]) == 1


async def test_no_second_watcher_is_asked_for_while_one_waits(
    app: RunningApp, planner: Agent
) -> None:
    address = await planner.session.address()
    watcher = app.stranger(planner.session.config.api_key, address)
    watch = asyncio.create_task(watcher.get("/api/wait", watcher=True, timeout_seconds=30))
    async with asyncio.timeout(5):
        while not (await watcher.get("/api/mailbox")).json()["watcher"]["waiting"]:
            await anyio.lowlevel.checkpoint()
    text = await planner.call("enable_notifications")
    assert text.startswith(
        f"Notifications are on already for mailbox `{address}`: a watcher is waiting at this "
        "moment. Start no second one.\n"
    )
    assert "call the Monitor tool now" not in text
    assert command_in(text)
    watch.cancel()


async def test_the_pause_after_a_watcher_does_not_count_as_one(
    app: RunningApp, planner: Agent
) -> None:
    watcher = app.stranger(planner.session.config.api_key, await planner.session.address())
    await watcher.get("/api/wait", watcher=True, timeout_seconds=0)
    assert "Notifications: armed" in await planner.call("whoami")
    assert "call the Monitor tool now" in await planner.call("enable_notifications")


async def test_no_second_watcher_is_asked_for_while_a_local_process_holds_the_lock(
    planner: Agent,
) -> None:
    address = await planner.session.address()
    state = StateDir(planner.session.config.state_dir)
    lock = await take_watch_lock(state, LOCAL, address)
    assert isinstance(lock, FileLock)
    try:
        text = await planner.call("enable_notifications")
    finally:
        lock.release()
    assert "a watcher process of this machine has it. Start no second one." in text
    assert "call the Monitor tool now" in await planner.call("enable_notifications")


async def test_a_state_folder_that_cannot_be_written_is_a_refusal(
    app: RunningApp, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    config = session_config(
        tmp_path,
        url=LOCAL,
        key=await app.create_key(),
        settings={"MESSENGER_STATE_DIR": str(tmp_path / "file" / "state")},
    )
    async with agent_of(config, transport=asgi(app)) as agent:
        text = await agent.refused("enable_notifications")
    assert text.startswith("Notifications are not enabled: The local state ")
    assert "MESSENGER_STATE_DIR" in text


async def test_the_hand_off_is_gone_after_the_session(app: RunningApp, tmp_path: Path) -> None:
    config = session_config(tmp_path, url=LOCAL, key=await app.create_key())
    async with agent_of(config, transport=asgi(app)) as agent:
        await agent.call("enable_notifications")
        address = await agent.session.address()
        kept = handoff_of(agent, address)
        assert msgspec.structs.asdict(kept)["address"] == address
    assert find_handoff(StateDir(config.state_dir), address=address) is None
