"""The load generator's HTTP/1.1 client: raw keep-alive connections that cost little.

It understands what our server and the floors answer, a status line and a body of known length, and
nothing else.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_ACCEPT_BATCH = 200
"""Connections opened at once: below every listen queue."""


class Answer(NamedTuple):
    """A response: its status and its body."""

    status: int
    body: bytes


class BenchFailure(Exception):
    """The load met an answer that makes its numbers worthless; the text says which."""


class Connection(asyncio.Protocol):
    """One keep-alive connection that carries one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._buffer = b""
        self._on_answer: Callable[[Answer], None] | None = None
        self.on_lost: Callable[[], None] | None = None
        """Called when the other side closes."""

    def send(self, request: bytes, on_answer: Callable[[Answer], None]) -> None:
        """Writes a request; `on_answer` is called with its answer, which may send the next one."""
        assert self._transport is not None, "send() before the connection was made"
        self._on_answer = on_answer
        self._transport.write(request)

    async def ask(self, request: bytes) -> Answer:
        """The answer to one request.

        Raises:
            BenchFailure: the other side closed the connection instead of answering.
        """
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def lost() -> None:
            if not answer.done():
                answer.set_exception(BenchFailure(f"connection lost after {request[:80]!r}"))

        self.on_lost = lost
        self.send(request, lambda given: None if answer.done() else answer.set_result(given))
        try:
            return await answer
        finally:
            self.on_lost = None

    def close(self) -> None:
        """Closes the connection without waiting."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport (asyncio calls this)."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Tells who asked for it that the other side left (asyncio calls this)."""
        if self.on_lost is not None:
            self.on_lost()

    def data_received(self, data: bytes) -> None:
        """Hands a complete answer over (asyncio calls this)."""
        buffer = self._buffer + data if self._buffer else data
        head_end = buffer.find(b"\r\n\r\n")
        if head_end >= 0:
            length = _LENGTH.search(buffer, 0, head_end)
            if length is None:
                raise BenchFailure(f"answer without Content-Length: {buffer[:200]!r}")
            start = head_end + 4
            if len(buffer) >= start + int(length[1]):
                self._buffer = b""
                on_answer, self._on_answer = self._on_answer, None
                if on_answer is not None:
                    on_answer(Answer(int(buffer[9:12]), buffer[start:]))
                return
        self._buffer = buffer


class Endpoint(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """Its base URL, without a slash at the end."""
        return f"http://{self.host}:{self.port}"


async def connect(endpoint: Endpoint, count: int) -> list[Connection]:
    """Opens this many connections, a batch at a time."""
    loop = asyncio.get_running_loop()
    connections: list[Connection] = []
    while len(connections) < count:
        wanted = min(_ACCEPT_BATCH, count - len(connections))
        opened = await asyncio.gather(
            *(
                loop.create_connection(Connection, endpoint.host, endpoint.port)
                for _ in range(wanted)
            )
        )
        connections += [connection for _, connection in opened]
    return connections


def close_all(connections: list[Connection]) -> None:
    """Closes connections without waiting."""
    for connection in connections:
        connection.close()


def get(path: str, headers: Mapping[str, str]) -> bytes:
    """The bytes of a GET."""
    return _head("GET", path, headers) + b"\r\n"


def post(path: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """The bytes of a POST of JSON."""
    fields = {**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}
    return _head("POST", path, fields) + b"\r\n" + body


def _head(method: str, path: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n").encode()


def expect(answer: Answer, status: int, what: str) -> bytes:
    """The body of an answer that has the wanted status.

    Raises:
        BenchFailure: it has another one.
    """
    if answer.status != status:
        raise BenchFailure(f"{what}: {answer.status} instead of {status}: {answer.body[:300]!r}")
    return answer.body
