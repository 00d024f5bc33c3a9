"""How answers leave a connection: head and body together, and nothing held back."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.server_process import ServerProcess

_HEALTH = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server for all."""
    folder: Path = tmp_path_factory.mktemp("wire")
    with ServerProcess(folder) as running:
        yield running


@pytest.fixture
def connection(server: ServerProcess) -> Iterator[socket.socket]:
    """A connection of this test."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        yield connection


def test_a_short_answer_comes_in_one_piece(connection: socket.socket) -> None:
    connection.sendall(_HEALTH)

    head, _, body = connection.recv(65_536).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 401 ")
    assert body.endswith(b"}")


def test_a_head_without_a_body_is_not_held_back(connection: socket.socket) -> None:
    connection.sendall(b"HEAD /ui/ HTTP/1.1\r\nHost: a\r\n\r\n")
    head = connection.recv(65_536)
    assert head.startswith(b"HTTP/1.1 200 ")
    assert head.endswith(b"\r\n\r\n")

    connection.sendall(_HEALTH)
    assert connection.recv(65_536).startswith(b"HTTP/1.1 401 ")


def test_a_client_that_asks_before_its_body_is_told_to_continue(
    server: ServerProcess, connection: socket.socket
) -> None:
    key = server.create_key("k").encode()
    connection.sendall(
        b"POST /api/agents/register HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + b"\r\n"
        b"Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    )
    assert connection.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"

    connection.sendall(b"{}")
    assert connection.recv(65_536).startswith(b"HTTP/1.1 201 ")


def test_requests_that_come_together_are_answered_one_after_the_other(
    connection: socket.socket,
) -> None:
    connection.sendall(_HEALTH * 3)

    answers = b""
    while answers.count(b"HTTP/1.1 401 ") < 3 or not answers.endswith(b"}"):
        answers += connection.recv(65_536)
    assert answers.count(b"\r\n\r\n") == 3


def test_a_connection_that_is_not_kept_closes_behind_its_answer(connection: socket.socket) -> None:
    connection.sendall(_HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))

    answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert b"\r\nconnection: close\r\n" in answer
    assert answer.endswith(b"}")
