"""A project on one machine: sessions of a host start in it, end, and start again."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import delete

from messenger_core import schema
from messenger_server.database import Batch
from support.app import Agent as ApiAgent
from support.app import RunningApp
from support.mcp_agent import LOCAL, Agent, agent_of, asgi, session_config

VARIABLE = "MESSENGER_SESSION_KEY"


class Project:
    """Sessions that share a state folder, a working folder, and a key for all agents."""

    def __init__(
        self, app: RunningApp, folder: Path, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.app = app
        self.folder = folder
        self.key = key
        self._monkeypatch = monkeypatch

    @asynccontextmanager
    async def session(
        self,
        host_session: str | None,
        *,
        key: str | None = None,
        settings: Mapping[str, str] = {},
        client_name: str = "test-host",
    ) -> AsyncIterator[Agent]:
        """A session that the host names so, or does not name; it has ended with the block."""
        if host_session is None:
            self._monkeypatch.delenv(VARIABLE, raising=False)
        else:
            self._monkeypatch.setenv(VARIABLE, host_session)
        config = session_config(self.folder, url=LOCAL, key=key or self.key, settings=settings)
        async with agent_of(config, transport=asgi(self.app), name=client_name) as agent:
            yield agent

    async def ended_session(self, host_session: str, *, received: int = 0) -> str:
        """The address of a session that has ended; its mailbox received so many messages."""
        async with self.session(host_session) as agent:
            address = await agent.session.address()
        for number in range(received):
            await self.write_to(address, f"letter {number}")
        return address

    async def write_to(self, address: str, body: str = "hello") -> None:
        """Lets a stranger send a message there."""
        stranger = await self.app.agent(key=self.key)
        await stranger.send(ApiAgent(self.app.client, self.key, address), body)

    def at(self, address: str) -> ApiAgent:
        """A plain HTTP client on that mailbox."""
        return self.app.stranger(self.key, address)

    async def purge(self, address: str) -> None:
        """Makes the server forget a mailbox that has no mail."""

        def remove(batch: Batch) -> None:
            batch.connection.execute(
                delete(schema.mailbox).where(schema.mailbox.c.address == address)
            )

        await self.app.database.write(remove)

    def entries(self) -> list[Path]:
        """The registry's files."""
        return list((self.folder / "state" / "mailboxes").glob("*.json"))


def address_in(whoami: str) -> str:
    """The mailbox that is worked, by `whoami`: one's own, or the one attached to."""
    first, second = whoami.splitlines()[:2]
    if second.startswith("Attached to: "):
        return second.removeprefix("Attached to: ").partition(". ")[0]
    return first.removeprefix("Address: ")
