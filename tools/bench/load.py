"""Closed loops: a number of clients that each send the next request when the last is answered."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from tools.bench.client import Answer, BenchFailure, Connection, Endpoint, close_all, connect

NextRequest = Callable[[], bytes]
"""Gives the bytes of a client's next request."""


class Pace(NamedTuple):
    """How much came through: answers, in how many seconds."""

    answers: int
    seconds: float

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds


async def pace_for(
    endpoint: Endpoint, clients: Sequence[NextRequest], status: int, seconds: float
) -> Pace:
    """Runs the clients for this long, after a fifth of it to warm up.

    Raises:
        BenchFailure: an answer had another status.
    """
    connections = await connect(endpoint, len(clients))
    try:
        await _Loop(connections, clients, status).run(seconds=seconds / 5)
        return await _Loop(connections, clients, status).run(seconds=seconds)
    finally:
        close_all(connections)


async def time_of(
    endpoint: Endpoint, clients: Sequence[NextRequest], status: int, total: int
) -> Pace:
    """Runs the clients until they had this many answers together.

    Raises:
        BenchFailure: an answer had another status.
    """
    connections = await connect(endpoint, len(clients))
    try:
        return await _Loop(connections, clients, status).run(total=total)
    finally:
        close_all(connections)


class _Loop:
    """One run of a closed loop; callbacks alone, no task a client, so that the load stays cheap."""

    def __init__(
        self, connections: Sequence[Connection], clients: Sequence[NextRequest], status: int
    ) -> None:
        self._connections = connections
        self._clients = clients
        self._status = status
        self._answers = 0
        self._left = 0
        self._deadline = float("inf")
        self._running = len(connections)
        self._end: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    async def run(self, *, seconds: float | None = None, total: int | None = None) -> Pace:
        """Starts every client and waits until the last of them is done."""
        begin = time.perf_counter()
        if seconds is not None:
            self._deadline = begin + seconds
        self._left = total if total is not None else 2**62
        for connection, client in zip(self._connections, self._clients, strict=True):
            connection.on_lost = self._on_lost
            self._next(connection, client)
        end = await self._end
        for connection in self._connections:
            connection.on_lost = None
        return Pace(self._answers, end - begin)

    def _next(self, connection: Connection, client: NextRequest) -> None:
        now = time.perf_counter()
        if self._left == 0 or now >= self._deadline:
            self._running -= 1
            if self._running == 0 and not self._end.done():
                self._end.set_result(now)
            return
        self._left -= 1
        connection.send(client(), partial(self._on_answer, connection, client))

    def _on_answer(self, connection: Connection, client: NextRequest, answer: Answer) -> None:
        if answer.status != self._status:
            self._fail(f"{answer.status} instead of {self._status}: {answer.body[:300]!r}")
            return
        self._answers += 1
        self._next(connection, client)

    def _on_lost(self) -> None:
        self._fail("the server closed a connection")

    def _fail(self, reason: str) -> None:
        if not self._end.done():
            self._end.set_exception(BenchFailure(reason))
