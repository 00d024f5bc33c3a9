"""Where a request ends is never in doubt: two readers of one connection would see two requests."""

import socket
from collections.abc import Iterator

import pytest

from support.server_process import ServerProcess

_REQUEST = "POST /ui/logout HTTP/1.1\r\nHost: messenger\r\n"
_HIDDEN = "GET /hidden HTTP/1.1\r\nHost: messenger\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A real server: the application never sees such a request."""
    with ServerProcess() as running:
        yield running


def _answer(server: ServerProcess, request: str) -> str:
    """All that comes back until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(request.encode("latin-1"))
        pieces = iter(lambda: connection.recv(65536), b"")
        return b"".join(pieces).decode("latin-1")


@pytest.mark.parametrize(
    "headers",
    [
        f"Content-Length: {len(_HIDDEN)}\r\nTransfer-Encoding: chunked\r\n",
        f"Transfer-Encoding: chunked\r\nContent-Length: {len(_HIDDEN)}\r\n",
        f"Content-Length: 0\r\nContent-Length: {len(_HIDDEN)}\r\n",
        "Content-Length: +0\r\n",
        "Content-Length: 0x0\r\n",
        "Content-Length: -1\r\n",
        "Content-Length : 0\r\n",
        "Transfer-Encoding: xchunked\r\n",
        " Content-Length: 0\r\n",
        "Host: messenger\nContent-Length: 0\r\n\x00",
    ],
)
def test_a_request_of_doubtful_length_is_refused_and_its_connection_closed(
    server: ServerProcess, headers: str
) -> None:
    answer = _answer(server, f"{_REQUEST}{headers}\r\n0\r\n\r\n{_HIDDEN}")

    assert answer.startswith("HTTP/1.1 400 ")
    assert '"code":"invalid_request"' in answer
    assert answer.count("HTTP/1.1 ") == 1
    assert "/hidden" not in server.log()
