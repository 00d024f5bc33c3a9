"""How a server stops: at once, with every answer given and the database closed."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from support.server_process import ServerProcess, wait_until

SIGNALS = [
    signal.Signals[name]
    for name in ("SIGTERM", "SIGINT", "SIGHUP")
    if name in signal.Signals.__members__
]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")


class Agent:
    """A registered mailbox that speaks bare HTTP/1.1, to see what each connection gets."""

    def __init__(self, server: ServerProcess, name: str) -> None:
        self.server = server
        self.headers = {"Authorization": f"Bearer {server.create_key(name, agent=name)}"}
        made = httpx2.post(f"{server.url}/api/agents/register", headers=self.headers, json={})
        assert made.status_code == 201, made.text
        self.address = made.json()["mailbox"]["id"]
        self.headers["X-Agent-Id"] = self.address

    def request(self, line: str, body: bytes = b"", *, send: int | None = None) -> socket.socket:
        """A connection on which a request was sent, of its body only the first `send` bytes."""
        head = [f"{line} HTTP/1.1", "Host: 127.0.0.1"]
        head += [f"{name}: {value}" for name, value in self.headers.items()]
        if body:
            head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=10)
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body[:send])
        return connection

    def settle(self) -> None:
        """Returns once the server has read everything that was sent before."""
        for _ in range(3):
            answer = httpx2.get(f"{self.server.url}/health", headers=self.headers)
            assert answer.status_code == 200


def answer_on(connection: socket.socket) -> tuple[int, dict[str, object]]:
    """The status and the JSON body of the answer, read until the server closes."""
    with connection:
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def refuses_connections(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return True
    return False


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path, settings={"MESSENGER_RATE_LIMIT_MAX": "0"}) as running:
        yield running


@pytest.fixture
def agent(server: ServerProcess) -> Agent:
    return Agent(server, "planner")


@pytest.mark.parametrize("sign", SIGNALS, ids=lambda sign: sign.name)
def test_a_signal_ends_waits_with_200_and_the_server_with_0(
    server: ServerProcess, agent: Agent, sign: signal.Signals
) -> None:
    waits = [agent.request("GET /api/wait?timeout_seconds=60") for _ in range(5)]
    agent.settle()

    seconds = server.terminate(sign)

    assert server.process.returncode == 0
    assert seconds < 2
    for wait in waits:
        status, body = answer_on(wait)
        assert (status, body["timed_out"], body["messages"]) == (200, True, [])
    assert "Traceback" not in server.log()
    assert " ERROR " not in server.log()


def test_a_thousand_waits_do_not_hold_it_up(server: ServerProcess, agent: Agent) -> None:
    waits = [agent.request("GET /api/wait?timeout_seconds=60&watcher=true") for _ in range(1000)]
    agent.settle()

    seconds = server.terminate()

    assert server.process.returncode == 0
    # Half a second on an idle machine, which the benchmark measures; here other tests run too.
    assert seconds < 2
    assert {answer_on(wait)[0] for wait in waits} == {200}


def test_a_send_on_its_way_gets_its_answer(server: ServerProcess, agent: Agent) -> None:
    body = json.dumps({"to": "reviewer", "subject": "s", "body": "kept"}).encode()
    sending = agent.request("POST /api/messages", body, send=10)
    agent.settle()

    server.process.terminate()
    wait_until(lambda: refuses_connections(server.port))
    sending.sendall(body[10:])

    status, sent = answer_on(sending)
    assert status == 201
    assert server.process.wait(5) == 0
    server.restart()
    read = httpx2.get(f"{server.url}/api/messages/{sent['id']}", headers=agent.headers)
    assert read.json()["body"] == "kept"


@pytest.mark.parametrize("second", SIGNALS, ids=lambda sign: sign.name)
def test_a_second_signal_changes_nothing(
    server: ServerProcess, agent: Agent, second: signal.Signals
) -> None:
    body = json.dumps({"to": "reviewer", "subject": "s", "body": "kept"}).encode()
    sending = agent.request("POST /api/messages", body, send=10)
    agent.settle()

    server.process.terminate()
    wait_until(lambda: refuses_connections(server.port))
    server.process.send_signal(second)
    sending.sendall(body[10:])
    assert answer_on(sending)[0] == 201
    while server.process.poll() is None:
        server.process.send_signal(second)

    assert server.process.returncode == 0
    connection = sqlite3.connect(server.db_path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("SELECT count(*) FROM message").fetchone() == (1,)
    connection.close()


def test_a_stopped_server_leaves_one_closed_file(server: ServerProcess, agent: Agent) -> None:
    server.terminate()

    left = {path.name for path in server.db_path.parent.iterdir()}
    assert left == {"messenger.db", "messenger.db.lock"}


def test_a_request_that_never_ends_holds_it_up_for_seconds_only(
    server: ServerProcess, agent: Agent
) -> None:
    stuck = agent.request("POST /api/messages", b"x" * 1000, send=10)
    agent.settle()

    seconds = server.terminate()

    assert server.process.returncode == 0
    assert seconds < 8
    stuck.close()


def test_nohup_keeps_it_through_a_hangup(tmp_path: Path) -> None:
    command = ("nohup", sys.executable, "-m", "messenger_server")
    with ServerProcess(tmp_path, command=command) as server:
        server.process.send_signal(signal.SIGHUP)

        assert httpx2.get(f"{server.url}/health").status_code == 401
        server.terminate()
        assert server.process.returncode == 0


def start_with_pipe(server: ServerProcess) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "messenger_server"], env=server.env, stderr=subprocess.PIPE
    )


def test_it_outlives_whoever_read_its_log(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    with start_with_pipe(server) as process:
        assert process.stderr is not None
        assert b"listening on" in process.stderr.readline()
        process.stderr.close()

        for _ in range(3):
            assert httpx2.get(f"{server.url}/health").status_code == 401
        process.terminate()

        assert process.wait(5) == 0


def test_closed_standard_streams_are_never_mistaken_for_files(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    close_all = 'exec "$@" <&- >&- 2>&-'
    command = ["sh", "-c", close_all, "sh", sys.executable, "-m", "messenger_server"]
    with subprocess.Popen(command, env=server.env, cwd=tmp_path) as process:
        wait_until(lambda: not refuses_connections(server.port), 20)
        assert httpx2.get(f"{server.url}/health").status_code == 401
        process.terminate()
        assert process.wait(5) == 0

    for path in server.db_path.parent.iterdir():
        assert b"listening on" not in path.read_bytes()
