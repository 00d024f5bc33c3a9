"""Open waits: idle ones that are only held, and ones that messages wake, with the time it takes."""

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Final, Self

import msgspec
from msgspec import Struct

from tools.bench.client import (
    Answer,
    BenchFailure,
    Connection,
    Endpoint,
    close_all,
    connect,
    expect,
)
from tools.bench.mailers import Mailer
from tools.bench.texts import Writer

_WAIT: Final = "/api/wait?timeout_seconds=300&watcher=true"
_SENDERS: Final = 64
_HEALTH_PER_SECOND: Final = 100
_PATIENCE_SECONDS: Final = 60
_BODY: Final = Writer().body(1000)


class _Subject(Struct, frozen=True, kw_only=True):
    subject: str


class _Woken(Struct, frozen=True, kw_only=True):
    messages: list[_Subject]
    cursor: int


class _Watcher(Struct, frozen=True, kw_only=True):
    waiting: bool


class _Status(Struct, frozen=True, kw_only=True):
    watcher: _Watcher
    head: int


async def status_of(connection: Connection, mailer: Mailer) -> _Status:
    """What the server says of a mailbox: whether a wait is open, and the head of its series."""
    body = expect(await connection.ask(mailer.get("/api/mailbox")), 200, "mailbox")
    return msgspec.json.decode(body, type=_Status)


class IdleWaits:
    """One open wait for each mailbox while the block runs; none of them may end."""

    def __init__(self, endpoint: Endpoint, mailers: Sequence[Mailer]) -> None:
        self._endpoint = endpoint
        self._mailers = mailers
        self._connections: list[Connection] = []
        self._ended: Answer | None = None
        self.may_end = False
        """Set before the server is stopped, which ends every wait."""

    async def __aenter__(self) -> Self:
        self._connections = await connect(self._endpoint, len(self._mailers))
        for connection, mailer in zip(self._connections, self._mailers, strict=True):
            connection.send(mailer.get(_WAIT), self._on_end)
        await self._until_all_wait()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        close_all(self._connections)
        if self._ended is not None and not self.may_end and error is None:
            raise BenchFailure(f"an idle wait ended: {self._ended}")

    async def _until_all_wait(self) -> None:
        """Returns when the server says of every 100th mailbox, and of the last, that it waits."""
        (connection,) = await connect(self._endpoint, 1)
        deadline = time.monotonic() + _PATIENCE_SECONDS
        for mailer in [*self._mailers[::100], self._mailers[-1]]:
            while not (await status_of(connection, mailer)).watcher.waiting:
                if time.monotonic() > deadline or self._ended is not None:
                    raise BenchFailure(f"{mailer.address} has no open wait: {self._ended}")
                await asyncio.sleep(0.02)
        close_all([connection])

    def _on_end(self, answer: Answer) -> None:
        self._ended = answer


class WakeLoad:
    """Messages at a steady rate to mailboxes that wait, with `GET /health` beside them."""

    def __init__(self, endpoint: Endpoint, writer: Mailer, woken: Sequence[Mailer]) -> None:
        self._endpoint = endpoint
        self._writer = writer
        self._woken = woken
        self._sent_at: dict[int, float] = {}
        self._total = 0
        self._done = asyncio.Event()
        self._failure = ""
        self.wake_ms: list[float] = []
        """From the POST's writing until the waiter had its answer, one for each message."""
        self.health_ms: list[float] = []

    async def run(self, rate: int, seconds: float) -> None:
        """Sends `rate` messages a second for this long and waits for the last to arrive.

        Raises:
            BenchFailure: a request was refused, or a message did not arrive in time.
        """
        self._total = int(rate * seconds)
        (probe,) = await connect(self._endpoint, 1)
        head = (await status_of(probe, self._writer)).head
        waits = await connect(self._endpoint, len(self._woken))
        for connection, mailer in zip(waits, self._woken, strict=True):
            self._wait(connection, mailer, head)
        senders = await connect(self._endpoint, _SENDERS)
        health = asyncio.create_task(self._ask_health(probe))
        try:
            await self._send_all(senders, rate)
            await asyncio.wait_for(self._done.wait(), _PATIENCE_SECONDS)
        except TimeoutError:
            arrived = f"{len(self.wake_ms)} of {self._total}"
            raise BenchFailure(f"{arrived} messages woke their waiters") from None
        finally:
            health.cancel()
            close_all([probe, *waits, *senders])
        if self._failure:
            raise BenchFailure(self._failure)

    def _wait(self, connection: Connection, mailer: Mailer, after: int) -> None:
        def on_answer(answer: Answer) -> None:
            now = time.perf_counter()
            if answer.status != 200:
                self._fail(f"wait: {answer}")
                return
            woken = msgspec.json.decode(answer.body, type=_Woken)
            self._wait(connection, mailer, woken.cursor)
            for message in woken.messages:
                self.wake_ms.append((now - self._sent_at[int(message.subject)]) * 1000)
            if len(self.wake_ms) >= self._total:
                self._done.set()

        connection.send(mailer.get(f"{_WAIT}&after={after}"), on_answer)

    async def _send_all(self, senders: list[Connection], rate: int) -> None:
        """Sends each message when its time has come, on a connection that is free then."""
        free: asyncio.LifoQueue[Connection] = asyncio.LifoQueue()
        for sender in senders:
            free.put_nowait(sender)

        def on_sent(connection: Connection, answer: Answer) -> None:
            if answer.status != 201:
                self._fail(f"send: {answer}")
            free.put_nowait(connection)

        begin = time.perf_counter()
        for number in range(self._total):
            early = begin + number / rate - time.perf_counter()
            if early > 0:
                await asyncio.sleep(early)
            connection = await free.get()
            to = self._woken[number % len(self._woken)].address
            request = self._writer.send(to, str(number), _BODY)
            self._sent_at[number] = time.perf_counter()
            connection.send(request, partial(on_sent, connection))

    async def _ask_health(self, connection: Connection) -> None:
        request = self._writer.get("/health")
        while True:
            begin = time.perf_counter()
            expect(await connection.ask(request), 200, "health")
            self.health_ms.append((time.perf_counter() - begin) * 1000)
            await asyncio.sleep(1 / _HEALTH_PER_SECOND)

    def _fail(self, reason: str) -> None:
        self._failure = self._failure or reason
        self._done.set()
