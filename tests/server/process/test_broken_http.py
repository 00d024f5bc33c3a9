"""What is no HTTP is refused in the form of every other refusal."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server_process import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server for all."""
    folder: Path = tmp_path_factory.mktemp("broken")
    with ServerProcess(folder) as running:
        yield running


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        (b"nonsense\r\n\r\n", "request", "is not HTTP/1.1"),
        (b"FOO /health HTTP/1.1\r\nHost: a\r\n\r\n", "request", "its method"),
        ("GET /é HTTP/1.1\r\nHost: a\r\n\r\n".encode(), "request", "its path"),
        (
            b"POST /api/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "request",
            "header lines",
        ),
        (
            b"GET /health HTTP/1.1\r\nHost: a\r\nX-Long: " + b"x" * 70_000 + b"\r\n\r\n",
            "head",
            "at most 65536 bytes",
        ),
    ],
    ids=["no line", "method", "path", "two lengths", "long head"],
)
def test_what_the_parser_refuses_is_a_problem_with_every_header(
    server: ServerProcess, sent: bytes, field: str, words: str
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(sent)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))

    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    assert status == "HTTP/1.1 400 Bad Request"
    assert headers["content-type"] == "application/problem+json"
    assert headers["content-length"] == str(len(body))
    assert headers["connection"] == "close"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["x-request-id"]
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (400, "invalid_request")
    assert problem["errors"][0]["field"] == field
    assert words in problem["detail"]
