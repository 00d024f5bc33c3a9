"""Connections: what a client may leave unfinished, how long, and how large the head may be.

A request that waits for its answer is never touched, whatever time that takes.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from messenger_core.errors import FieldError, InvalidRequest
from messenger_server.http_errors import MEDIA_TYPE, refusal_of
from messenger_server.web.headers import NOT_KEPT, SECURITY_HEADERS, request_id

HEAD_BYTES: Final = 64 * 1024
"""The largest head of a request."""
HEAD_SECONDS: Final = 30
"""From the first byte of a head to its last."""
BODY_SECONDS: Final = 60
"""Without a byte of a body that is expected."""
SILENT_SECONDS: Final = 75
"""Without a byte on a connection that owes us nothing else; longer than clients keep an idle one,
so that none sends into a connection that just closed."""

_NO_READ: Final = -1
_TOO_LARGE: Final = FieldError("head", f"must have at most {HEAD_BYTES} bytes: send less in it")
_NO_HTTP: Final = FieldError(
    "request", "is not HTTP/1.1: check its method, its path (ASCII alone) and its header lines"
)
_INTERIM: Final = b"HTTP/1.1 1"
"""How the head of an answer begins that another one follows: 100 Continue."""


class _HeadTooLarge(Exception):
    """The parser turns it into a failure of its own, and the connection is refused."""


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a bound for everything that a client may leave unfinished."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: uvicorn's own arguments
        super().__init__(*args, **kwargs)
        self._made_at = self.loop.time()
        self._received = 0
        self._read_bytes = 0
        self._is_fresh = True
        self._head_begun_at: float | None = None
        self._head_is_too_large = False
        self._head_start = _NO_READ
        """What had been received after the read in which an unfinished head began."""
        self._progress = 0
        self._progress_at = self._made_at

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's
        """Begins the connection."""
        HttpToolsProtocol.connection_made(self, transport)
        self.transport = self._outlet = _Outlet(transport)

    def data_received(self, data: bytes) -> None:
        """Takes what arrived; ends the connection over a head that grows too large."""
        self._read_bytes = len(data)
        self._received += self._read_bytes
        HttpToolsProtocol.data_received(self, data)
        if self._head_begun_at is not None and not self.transport.is_closing():
            self._bound_unfinished_head()

    def on_message_begin(self) -> None:
        """Notes when a head begins."""
        HttpToolsProtocol.on_message_begin(self)
        self._is_fresh = False
        self._head_begun_at = self.loop.time()
        self._head_start = _NO_READ

    def on_headers_complete(self) -> None:
        """Starts the request, unless its head is too large."""
        self._head_begun_at = None
        may_be_large = self._head_start != _NO_READ or self._read_bytes > HEAD_BYTES
        if may_be_large and self._parsed_bytes() > HEAD_BYTES:
            self._head_is_too_large = True
            raise _HeadTooLarge
        HttpToolsProtocol.on_headers_complete(self)

    def on_response_complete(self) -> None:
        """Goes on with the next request; without uvicorn's timer, for `close_if_overdue` is one."""
        self._outlet.end_answer()
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())

    def send_400_response(self, msg: str) -> None:
        """Refuses what is no HTTP in the form of every other refusal, and closes.

        What uvicorn says of it in `msg` is the same whatever is wrong.
        """
        fault = _TOO_LARGE if self._head_is_too_large else _NO_HTTP
        refused = InvalidRequest(f"The {fault.field} {fault.message}.", errors=[fault])
        identifier = request_id(None)
        refusal = refusal_of(refused, identifier.decode())
        headers = [
            *self.server_state.default_headers,
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", b"%d" % len(refusal.body)),
            (b"connection", b"close"),
            (b"x-request-id", identifier),
            *SECURITY_HEADERS,
            NOT_KEPT,
        ]
        head = b"".join(b"%b: %b\r\n" % header for header in headers)
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n" + head + b"\r\n" + refusal.body)
        self.transport.close()

    def close_if_overdue(self, now: float) -> None:
        """Closes the connection when the client is late; `now` is the loop's time in seconds."""
        cycle: RequestResponseCycle | None = self.cycle  # none before the first request
        in_flight = cycle is not None and not cycle.response_complete
        if cycle is not None and in_flight and not cycle.more_body:
            self._progress_at = now
        elif not self.transport.is_closing() and self._is_overdue(now, in_flight=in_flight):
            self.transport.close()

    def _is_overdue(self, now: float, *, in_flight: bool) -> bool:
        if self._head_begun_at is not None and not in_flight:
            return now - self._head_begun_at > HEAD_SECONDS
        if self._is_fresh:
            return now - self._made_at > SILENT_SECONDS
        ours = in_flight and (self.flow.read_paused or self.cycle.waiting_for_100_continue)
        if ours or self._received != self._progress:
            self._progress, self._progress_at = self._received, now
        return now - self._progress_at > (BODY_SECONDS if in_flight else SILENT_SECONDS)

    def _bound_unfinished_head(self) -> None:
        if self._head_start == _NO_READ:
            self._head_start = self._received
        unread = self._received - self._head_start
        if unread > HEAD_BYTES or self._parsed_bytes() > HEAD_BYTES:
            self._head_is_too_large = True
            self.send_400_response("")

    def _parsed_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)


class _Outlet(asyncio.Transport):
    """Where uvicorn writes: the head of an answer leaves with the first piece of its body.

    Each by itself is a call to the system and a packet: a tenth of what a short answer costs.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__()
        self._transport = transport
        self._head = b""
        """Held until there is a piece of the body."""
        self._has_begun = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Writes a part of an answer; the first one is its head."""
        part = bytes(data)  # no copy: uvicorn gives nothing else
        if self._has_begun:
            self._transport.write(self._head + part)
            self._head = b""
        elif part.startswith(_INTERIM):
            self._transport.write(part)
        else:
            self._has_begun = True
            self._head = part

    def end_answer(self) -> None:
        """Lets a head go that no body followed; what is written next is another head."""
        self._has_begun = False
        if self._head:
            self._transport.write(self._head)
            self._head = b""

    def close(self) -> None:
        """Closes behind what was written."""
        self.end_answer()
        self._transport.close()

    def is_closing(self) -> bool:
        """Whether nothing is read any more."""
        return self._transport.is_closing()


def close_overdue(connections: Iterable[object], now: float) -> None:
    """Closes every connection whose client is late; called about once a second."""
    for connection in tuple(connections):
        if isinstance(connection, BoundedProtocol):
            connection.close_if_overdue(now)
