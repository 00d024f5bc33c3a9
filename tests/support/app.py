"""The server's application in this process, on a database of its own, behind an HTTP client.

Requests run on the test's own event loop, so a send wakes a wait as it does in the real server.
"""

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import httpx2
from litestar import Litestar

from messenger_core.wire.access import NewKey
from messenger_server.app import create_app
from messenger_server.auth.passwords import Passwords
from messenger_server.clock import Clock
from messenger_server.config import ServerConfig
from messenger_server.database import Database
from messenger_server.database.opening import prepare
from messenger_server.presence import Hub
from messenger_server.store.key_cards import list_keys
from messenger_server.store.keys import create_key, revoke_key

URL: Final = "http://messenger.test"

_START_MS: Final = 1_780_000_000_000


class SetClock(Clock):
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now_ms(self) -> int:
        """The start plus what was added."""
        return _START_MS + int(self.seconds * 1000)

    def monotonic(self) -> float:
        """What was added."""
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Lets this much time pass."""
        self.seconds += seconds


class Agent:
    """A client with a key, and a mailbox when it has one."""

    def __init__(self, client: httpx2.AsyncClient, key: str, address: str | None) -> None:
        self._client = client
        self.key = key
        self.address = address or ""

    @property
    def headers(self) -> dict[str, str]:
        """What each of its requests carries."""
        named = {"X-Agent-Id": self.address} if self.address else {}
        return {"Authorization": f"Bearer {self.key}", **named}

    async def ask(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> httpx2.Response:
        """Makes a request as this agent; `more` is what httpx2 takes."""
        return await self._client.request(
            method, path, headers={**self.headers, **(headers or {})}, **more
        )

    async def get(self, path: str, **query: str | int | bool) -> httpx2.Response:
        """GET with a query; `from_` is written as `from`."""
        parameters = {
            name.rstrip("_"): str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in query.items()
        }
        return await self.ask("GET", path, params=parameters or None)

    async def post(self, path: str, body: object) -> httpx2.Response:
        """POST of a JSON body."""
        return await self.ask("POST", path, json=body)

    async def patch(self, path: str, body: object) -> httpx2.Response:
        """PATCH with a JSON body."""
        return await self.ask("PATCH", path, json=body)

    async def send(self, to: "Agent", body: str = "hello", **fields: object) -> dict[str, Any]:
        """Sends a message and gives the answer's fields.

        Raises:
            AssertionError: it was refused.
        """
        draft = {"to": to.address, "subject": "greeting", "body": body, **fields}
        answer = await self.post("/api/messages", draft)
        assert answer.status_code == 201, answer.text
        sent: dict[str, Any] = answer.json()
        return sent


class RunningApp:
    """The application while it runs."""

    def __init__(
        self, app: Litestar, database: Database, clock: SetClock, client: httpx2.AsyncClient
    ) -> None:
        self.app = app
        self.database = database
        self.clock = clock
        self.client = client

    @property
    def hub(self) -> Hub:
        """Its waits and watchers."""
        hub = self.app.state.hub
        assert isinstance(hub, Hub)
        return hub

    @property
    def setup_code(self) -> str:
        """What makes the console's account; a real server writes it into its log."""
        code: str = self.app.state.setup_code.text
        return code

    async def create_key(
        self,
        name: str = "test",
        agent: str | None = None,
        *,
        days: int | None = None,
        can_send: bool = True,
    ) -> str:
        """A new key's secret."""
        wanted = NewKey(name=name, agent_name=agent, lifetime_days=days, can_send=can_send)
        return (await self.database.write(create_key, wanted)).secret

    async def revoke_key(self, name: str) -> None:
        """Revokes the key of that name."""
        await self.database.write(revoke_key, await self._public_id(name))

    async def agent(
        self, address: str | None = None, *, key: str | None = None, **fields: str
    ) -> Agent:
        """A registered mailbox with a client for it; a fresh `box_…` one unless named.

        Raises:
            AssertionError: the registration was refused.
        """
        agent = Agent(self.client, key or await self.create_key(), address)
        answer = await agent.post("/api/agents/register", fields)
        assert answer.status_code in {200, 201}, answer.text
        agent.address = answer.json()["mailbox"]["id"]
        return agent

    def stranger(self, key: str, address: str | None = None) -> Agent:
        """A client with this key and this address, registered or not."""
        return Agent(self.client, key, address)

    async def _public_id(self, name: str) -> str:
        keys = await self.database.read(list_keys, self.clock.now_ms())
        return next(key.id for key in keys if key.name == name)


@asynccontextmanager
async def running_app(
    folder: Path, *, queue_limit: int = 2000, password_cost: int = 1, **settings: Any
) -> AsyncIterator[RunningApp]:
    """The application on the folder's database, a new one when there is none.

    `settings` are fields of its config; passwords are hashed in no time unless `password_cost` is
    that of production.
    """
    clock = SetClock()
    config = config_for(folder, **settings)
    if not config.db_path.exists():
        shutil.copy(_empty_database(), config.db_path)
    database = Database.open(config.db_path, queue_limit=queue_limit, clock=clock.now_ms)
    app = create_app(config, database, clock=clock, passwords=Passwords(password_cost))
    try:
        async with (
            app.lifespan(),
            httpx2.AsyncClient(transport=transport_of(app), base_url=URL) as client,
        ):
            yield RunningApp(app, database, clock, client)
    finally:
        await database.close()


def transport_of(app: Litestar) -> httpx2.ASGITransport:
    """A transport that leads every client on it into the application, without a socket."""
    # The two libraries spell the one ASGI signature with types of their own.
    return httpx2.ASGITransport(cast(Any, app))


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Returns as soon as the condition holds.

    Raises:
        TimeoutError: it did not within five seconds.
    """
    async with asyncio.timeout(5):
        while not await condition():  # noqa: ASYNC110 (what is waited for tells nobody)
            await asyncio.sleep(0.005)


def config_for(folder: Path, **settings: Any) -> ServerConfig:
    """Settings for a test: no quota, everything else as it comes."""
    chosen = {
        "port": 3600,
        "db_path": folder / "messenger.db",
        "trust_proxy": None,
        "rate_limit_max": 0,
        "rate_limit_window": timedelta(minutes=15),
        "trash_retention": timedelta(days=30),
        "max_wait": timedelta(seconds=300),
        "auto_upgrade": False,
        "log_level": "info",
        "log_format": "text",
        **settings,
    }
    return ServerConfig(**chosen)


@cache
def _empty_database() -> Path:
    """A new database, made once: its migrations take longer than most tests."""
    path = Path(tempfile.mkdtemp(prefix="messenger-")) / "empty.db"
    atexit.register(shutil.rmtree, path.parent)
    prepare(path)
    return path
