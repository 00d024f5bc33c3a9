"""An agent on the MCP server of a session, in this process: calls tools and gets their texts."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import httpx2
import mcp_types
from mcp import Client

from messenger_mcp.api_client import MessengerClient
from messenger_mcp.config import ClientConfig
from messenger_mcp.local_tools import Notifications, workplace_of
from messenger_mcp.sending import OnceSender, Pauses
from messenger_mcp.server import create_server
from messenger_mcp.session import Session
from support.app import RunningApp

LOCAL = "http://127.0.0.1:3600"
"""Where an application in this process is said to be."""
NO_SERVER = "http://127.0.0.1:9"
"""Nothing listens there."""
SOME_KEY = "mk_" + "k" * 43


class Agent:
    """What a host does for a model: the session's tools by name."""

    def __init__(self, client: Client, session: Session) -> None:
        self.client = client
        self.session = session

    async def call(self, tool: str, **arguments: object) -> str:
        """The text of a call that is answered; `from_` stands for the argument `from`."""
        text, is_error = await self._call(tool, arguments)
        assert not is_error, text
        return text

    async def refused(self, tool: str, **arguments: object) -> str:
        """The text of a call that is refused."""
        text, is_error = await self._call(tool, arguments)
        assert is_error, text
        return text

    async def _call(self, tool: str, arguments: dict[str, object]) -> tuple[str, bool]:
        named = {name.rstrip("_"): value for name, value in arguments.items()}
        result = await self.client.call_tool(tool, named)
        assert result.structured_content is None
        (content,) = result.content
        assert isinstance(content, mcp_types.TextContent)
        return content.text, bool(result.is_error)


@asynccontextmanager
async def agent_at(
    app: RunningApp,
    folder: Path,
    *,
    agent: str | None = None,
    key: str | None = None,
    mode: Literal["auto", "legacy"] = "auto",
    settings: Mapping[str, str] = {},
) -> AsyncIterator[Agent]:
    """An agent whose session works on an application in this process, with a key of its own."""
    config = session_config(
        folder, url=LOCAL, key=key or await app.create_key(agent=agent), settings=settings
    )
    async with agent_of(config, transport=asgi(app), mode=mode) as connected:
        yield connected


def asgi(app: RunningApp) -> httpx2.ASGITransport:
    """The way to an application in this process."""
    return httpx2.ASGITransport(app.app)  # type: ignore[arg-type] # Litestar names its scopes more narrowly


def session_config(
    folder: Path, *, url: str = NO_SERVER, key: str = SOME_KEY, settings: Mapping[str, str] = {}
) -> ClientConfig:
    """The settings of a session that keeps its state in `folder`."""
    return ClientConfig.from_env(
        {
            "MESSENGER_SERVER_URL": url,
            "MESSENGER_API_KEY": key,
            "MESSENGER_STATE_DIR": str(folder / "state"),
            **settings,
        }
    )


@asynccontextmanager
async def agent_of(
    config: ClientConfig,
    *,
    transport: httpx2.AsyncBaseTransport | None = None,
    mode: Literal["auto", "legacy"] = "auto",
    pauses: Pauses | None = None,
    name: str = "test-host",
) -> AsyncIterator[Agent]:
    """An agent whose session asks the server through `transport`, or through the network."""
    client = MessengerClient(
        config.server_url,
        config.api_key,
        timeout_seconds=config.timeout_seconds,
        transport=transport,
    )
    session = Session(config, client, sender=OnceSender(pauses))
    notifications = Notifications(workplace_of(session))
    server = create_server(session, notifications)
    host = mcp_types.Implementation(name=name, version="1")
    try:
        async with Client(server, mode=mode, client_info=host) as connected:
            yield Agent(connected, session)
    finally:
        session.registration.close()
        notifications.close()
        await client.aclose()
