"""Connections: what a client may leave unfinished, how long, and how large the head may be.

A request that waits for its answer is never touched, whatever time that takes.
"""

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
"""Without a byte on a connection that owes us nothing else."""

_NO_READ: Final = -1


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
        self._head_start = _NO_READ
        """What had been received after the read in which an unfinished head began."""
        self._progress = 0
        self._progress_at = self._made_at

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
            raise _HeadTooLarge
        HttpToolsProtocol.on_headers_complete(self)

    def send_400_response(self, msg: str) -> None:
        """Refuses what is no HTTP in the form of every other refusal, and closes."""
        refused = InvalidRequest(msg, errors=[FieldError("", msg)])
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
        if ours or self._received != self._progress or self.timeout_keep_alive_task is not None:
            self._progress, self._progress_at = self._received, now
        return now - self._progress_at > (BODY_SECONDS if in_flight else SILENT_SECONDS)

    def _bound_unfinished_head(self) -> None:
        if self._head_start == _NO_READ:
            self._head_start = self._received
        unread = self._received - self._head_start
        if unread > HEAD_BYTES or self._parsed_bytes() > HEAD_BYTES:
            self.send_400_response(f"The head of a request has at most {HEAD_BYTES} bytes.")

    def _parsed_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)


def close_overdue(connections: Iterable[object], now: float) -> None:
    """Closes every connection whose client is late; called about once a second."""
    for connection in tuple(connections):
        if isinstance(connection, BoundedProtocol):
            connection.close_if_overdue(now)
