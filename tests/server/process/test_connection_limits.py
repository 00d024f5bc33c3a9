"""Connections that cost too much: more than there is room for, or never finished."""

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2
import psutil
import pytest

from support.server_process import ServerProcess, wait_until

if sys.platform == "win32":
    pytest.skip("limits of open files are POSIX", allow_module_level=True)

_FEW = 80


def _connect(server: ServerProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose limits are a second."""
    command = (sys.executable, "-c", _HASTY)
    with ServerProcess(tmp_path_factory.mktemp("hasty"), command=command) as server:
        yield server


@pytest.fixture(scope="module")
def key(hasty: ServerProcess) -> str:
    return hasty.create_key("k")


def test_a_full_descriptor_table_is_one_sentence_and_ends_with_its_cause(tmp_path: Path) -> None:
    limited = (sys.executable, "-c", _LIMITED)
    with ServerProcess(tmp_path, command=limited) as server, ExitStack() as held:
        for _ in range(_FEW + 40):
            held.enter_context(_connect(server))
        wait_until(lambda: "new connections have to wait" in server.log())
        process = psutil.Process(server.process.pid)
        process.cpu_percent()
        share = process.cpu_percent(interval=2.5)  # the time in which the tries would multiply

        assert share < 40
        assert f"may have {_FEW} files open" in server.log()
        assert server.log().count("new connections have to wait") == 1
        assert "could not be formatted" not in server.log()
        held.close()
        assert httpx2.get(server.url + "/health", timeout=10).status_code == 401


class TestUnfinishedRequests:
    """A client that does not go on loses its connection; one that waits for us never does."""

    @pytest.mark.parametrize("sent", [b"", b"\r\n", b"GET /he", b"GET / HTTP/1.1\r\nHost: x\r\n"])
    def test_a_head_that_is_not_finished_in_time_ends(
        self, hasty: ServerProcess, sent: bytes
    ) -> None:
        with _connect(hasty) as connection:
            connection.sendall(sent)
            assert connection.recv(1) == b""

    def test_a_connection_that_asks_nothing_more_ends(self, hasty: ServerProcess) -> None:
        with _connect(hasty) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b" 401 " in connection.recv(65_536)
            while connection.recv(65_536):
                pass

    def test_a_head_that_trickles_ends_too(self, hasty: ServerProcess) -> None:
        with _connect(hasty) as connection:
            connection.settimeout(0.1)
            begun = time.monotonic()

            def has_ended() -> bool:
                assert time.monotonic() - begun < 5
                connection.sendall(b"x")
                with suppress(TimeoutError):
                    return connection.recv(1) == b""
                return False

            with suppress(ConnectionError):
                wait_until(has_ended)

    def test_a_body_that_stops_ends(self, hasty: ServerProcess, key: str) -> None:
        with _connect(hasty) as connection:
            connection.sendall(_head("POST /api/agents/register", key, length=100) + b"{")
            assert connection.recv(1) == b""

    def test_a_refused_body_that_stops_ends(self, hasty: ServerProcess) -> None:
        with _connect(hasty) as connection:
            connection.sendall(_head("POST /api/agents/register", "mk_no", length=100))
            assert b" 401 " in connection.recv(65_536)
            connection.sendall(b"{")
            while connection.recv(65_536):
                pass

    def test_a_wait_is_left_alone(self, hasty: ServerProcess, key: str) -> None:
        url, headers = hasty.url, {"Authorization": f"Bearer {key}", "X-Agent-Id": "bob"}
        httpx2.post(url + "/api/agents/register", headers=headers, json={}).raise_for_status()
        answer = httpx2.get(url + "/api/wait?timeout_seconds=4", headers=headers, timeout=10)
        assert answer.json()["timed_out"] is True

    @pytest.mark.parametrize("end", [b"", b"\r\n\r\n"])
    @pytest.mark.parametrize(
        "field", [b"x: " + b"y" * 400_000, b"\r\n".join([b"x: yyyy"] * 40_000)]
    )
    def test_a_head_beyond_its_size_is_refused(
        self, hasty: ServerProcess, field: bytes, end: bytes
    ) -> None:
        with _connect(hasty) as connection, suppress(ConnectionError):
            connection.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n" + field + end)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 400 ")


def _head(line: str, key: str, *, length: int) -> bytes:
    fields = ("host: x", f"authorization: Bearer {key}", "x-agent-id: bob")
    kind = ("content-type: application/json", f"content-length: {length}")
    return "\r\n".join([f"{line} HTTP/1.1", *fields, *kind, "", ""]).encode()


_HASTY = """
from messenger_server import connections
connections.HEAD_SECONDS = connections.BODY_SECONDS = connections.SILENT_SECONDS = 1
from messenger_server.__main__ import main
main()
"""

_LIMITED = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({_FEW}, {_FEW}))
from messenger_server.__main__ import main
main()
"""
