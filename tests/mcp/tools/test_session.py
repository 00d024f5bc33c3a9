"""Registration: once, behind the handshake, again when it has to be."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio.lowlevel
import httpx2
import pytest
from sqlalchemy import update

from messenger_core import schema
from messenger_server.database import Batch
from support.app import RunningApp
from support.mcp_agent import LOCAL, Agent, agent_at, agent_of, asgi, session_config

pytestmark = pytest.mark.anyio


class Road(httpx2.AsyncBaseTransport):
    """The way to the application: counts what goes by, and can be closed."""

    def __init__(self, app: RunningApp) -> None:
        self._way = asgi(app)
        self.paths: list[str] = []
        self.is_open = asyncio.Event()
        self.is_cut = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.paths.append(request.url.path)
        if self.is_cut:
            raise httpx2.ConnectError("cut", request=request)
        await self.is_open.wait()
        return await self._way.handle_async_request(request)

    @property
    def registrations(self) -> int:
        return self.paths.count("/api/agents/register")


@asynccontextmanager
async def on_road(
    app: RunningApp,
    folder: Path,
    road: Road,
    *,
    name: str = "test-host",
    mode: Literal["auto", "legacy"] = "auto",
) -> AsyncIterator[Agent]:
    config = session_config(folder, url=LOCAL, key=await app.create_key())
    async with agent_of(config, transport=road, name=name, mode=mode) as agent:
        yield agent


async def forget(app: RunningApp, address: str) -> None:
    """The server does not know the mailbox any more."""

    def rename(batch: Batch) -> None:
        batch.connection.execute(
            update(schema.mailbox)
            .where(schema.mailbox.c.address == address)
            .values(address="box_ffffffffffffffff")
        )

    await app.database.write(rename)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_handshake_does_not_wait_for_the_registration(
    app: RunningApp, tmp_path: Path, mode: Literal["legacy", "auto"]
) -> None:
    road = Road(app)
    async with on_road(app, tmp_path, road, mode=mode) as agent:
        assert (await agent.client.list_tools()).tools
        assert agent.session.registration.worked is None
        async with asyncio.timeout(5):
            while not road.registrations:
                await anyio.lowlevel.checkpoint()
        road.is_open.set()
        assert await agent.session.address() in await agent.call("whoami")
    assert road.registrations == 1


async def test_concurrent_calls_share_one_registration(app: RunningApp, tmp_path: Path) -> None:
    road = Road(app)
    async with on_road(app, tmp_path, road) as agent:
        calls = [asyncio.create_task(agent.call("whoami")) for _ in range(5)]
        road.is_open.set()
        answers = await asyncio.gather(*calls)
    assert len(set(answers)) == 1
    assert road.registrations == 1


async def test_a_cancelled_call_does_not_take_the_registration_with_it(
    app: RunningApp, tmp_path: Path
) -> None:
    road = Road(app)
    async with on_road(app, tmp_path, road) as agent:
        impatient = asyncio.create_task(agent.call("whoami"))
        patient = asyncio.create_task(agent.call("whoami"))
        async with asyncio.timeout(5):
            while not road.registrations:
                await anyio.lowlevel.checkpoint()
        impatient.cancel()
        road.is_open.set()
        assert "Address: box_" in await patient
    assert road.registrations == 1


async def test_a_codex_session_registers_at_its_first_tool_call(
    app: RunningApp, tmp_path: Path
) -> None:
    road = Road(app)
    road.is_open.set()
    async with on_road(app, tmp_path, road, name="codex-mcp-client") as agent:
        await agent.client.list_tools()
        assert road.registrations == 0
        assert "Address: box_" in await agent.call("whoami")
        assert road.registrations == 1


async def test_a_codex_session_with_an_id_in_its_environment_registers_at_once(
    app: RunningApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_THREAD_ID", "thread-1")
    road = Road(app)
    async with on_road(app, tmp_path, road, name="codex-mcp-client"):
        async with asyncio.timeout(5):
            while not road.registrations:
                await anyio.lowlevel.checkpoint()
        road.is_open.set()


async def test_a_server_that_was_away_is_asked_again_at_the_next_call(
    app: RunningApp, tmp_path: Path
) -> None:
    road = Road(app)
    road.is_open.set()
    road.is_cut = True
    async with on_road(app, tmp_path, road) as agent:
        text = await agent.refused("whoami")
        assert text.startswith("Your mailbox cannot be shown: No answer from the Messenger server")
        assert "tell the person that the server cannot be reached" in text
        assert not agent.session.registration.refused.is_set()
        road.is_cut = False
        assert "Address: box_" in await agent.call("whoami")


async def test_a_refused_registration_in_the_background_ends_the_session(
    app: RunningApp, tmp_path: Path
) -> None:
    key = await app.create_key(agent="Planner")
    config = session_config(
        tmp_path, url=LOCAL, key=key, settings={"MESSENGER_AGENT_NAME": "Coder"}
    )
    async with agent_of(config, transport=asgi(app)) as agent:
        await asyncio.wait_for(agent.session.registration.refused.wait(), 5)
        assert "agent name" in str(agent.session.registration.refusal).lower()


async def test_a_refusal_met_in_a_call_is_that_call_s_error(
    app: RunningApp, tmp_path: Path, planner: Agent
) -> None:
    await planner.call("whoami")
    await app.revoke_key("test")
    text = await planner.refused("whoami")
    assert "revoked" in text
    assert "Tell the person: a new key is made on the server" in text
    assert not planner.session.registration.refused.is_set()


async def test_a_session_whose_mailbox_was_deleted_says_so_and_then_works_a_new_one(
    app: RunningApp, planner: Agent
) -> None:
    gone = await planner.session.address()
    await forget(app, gone)
    text = await planner.refused("list_messages")
    assert f"The mailbox {gone} is gone: it was deleted on the server." in text
    assert "The next call works a new mailbox: call whoami" in text
    said = await planner.call("whoami")
    assert gone not in said
    assert said.startswith("Address: box_")
    assert "This address is new." in said


async def test_several_calls_that_meet_the_loss_leave_one_new_mailbox(
    app: RunningApp, tmp_path: Path
) -> None:
    road = Road(app)
    road.is_open.set()
    async with on_road(app, tmp_path, road) as agent:
        gone = await agent.session.address()
        road.is_open.clear()
        calls = [asyncio.create_task(agent.refused("list_threads")) for _ in range(3)]
        async with asyncio.timeout(5):
            while road.paths.count("/api/threads") < len(calls):
                await anyio.lowlevel.checkpoint()
        await forget(app, gone)
        road.is_open.set()
        assert all(f"The mailbox {gone} is gone" in text for text in await asyncio.gather(*calls))
        answers = await asyncio.gather(*(agent.call("whoami") for _ in range(3)))
    assert len(set(answers)) == 1
    assert road.registrations == 2


async def test_a_fixed_address_that_was_deleted_is_registered_again(
    app: RunningApp, tmp_path: Path
) -> None:
    async with agent_at(app, tmp_path, settings={"MESSENGER_AGENT_ID": "builder"}) as agent:
        await agent.call("whoami")
        await forget(app, "builder")
        text = await agent.refused("list_messages")
        assert "The next call registers this address again, as an empty mailbox." in text
        said = await agent.call("whoami")
    assert said.startswith("Address: builder\nName:")


async def test_the_agent_of_the_settings_is_given_to_the_server(
    app: RunningApp, tmp_path: Path
) -> None:
    settings = {"MESSENGER_AGENT_NAME": "Coder", "MESSENGER_AGENT_DESCRIPTION": "Writes code"}
    async with agent_at(app, tmp_path, settings=settings) as agent:
        assert "Agent: Coder — Writes code" in await agent.call("whoami")


async def test_what_is_no_messenger_server_is_told_from_one_that_is_away(
    app: RunningApp, tmp_path: Path
) -> None:
    async def stranger(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, text=json.dumps({"hello": request.url.path}))

    config = session_config(tmp_path, url=LOCAL)
    async with agent_of(config, transport=httpx2.MockTransport(stranger)) as agent:
        assert "is not a Messenger server" in await agent.refused("whoami")
