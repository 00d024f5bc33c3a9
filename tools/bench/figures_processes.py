"""Figures of processes: `server_rss`, `mcp_start`, `mcp_rss`, `watch_start`, `watch_rss`."""

import contextlib
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import IO, Final, NamedTuple

from tools.bench.bases import add_mailboxes
from tools.bench.client import BenchFailure, Endpoint
from tools.bench.figures import FIGURE_BY_NAME
from tools.bench.processes import (
    ROOT,
    SCRIPTS,
    clean_environment,
    create_key,
    resident_bytes,
    running_server,
)
from tools.bench.report import Result, Round, result_of
from tools.bench.running import Bench

NAMES: Final = ("server_rss", "mcp_start", "mcp_rss", "watch_start", "watch_rss")
"""The figures of this group, in the order they are taken."""

_IDLE_SECONDS: Final = 1.0
"""After a start: what still settles then has settled."""
_PATIENCE_SECONDS: Final = 30
_LOOK_SECONDS: Final = 0.003
"""Between two questions whether a watcher waits: what `watch_start` may be too long."""
_CLIENT: Final = [str(SCRIPTS / "messenger-mcp")]
_FLOOR_IMPORTS: Final = "import litestar, sqlalchemy; print(1, flush=True); input()"
_FLOOR_REQUEST: Final = """
import sys, httpx2, msgspec
answer = httpx2.get(sys.argv[1] + "/health", headers={"Authorization": "Bearer " + sys.argv[2]})
msgspec.json.decode(answer.content)
print(answer.status_code, flush=True)
input()
"""


class _Started(NamedTuple):
    """What a start took: until it was ready, and the memory it then held."""

    start_ms: float
    resident_mb: float


class _Stage(NamedTuple):
    """The server that the clients speak to, and what they need for it."""

    endpoint: Endpoint
    key: str
    addresses: list[str]
    folder: Path

    def environment(self) -> dict[str, str]:
        """Of a client that starts on a machine where no client ran before."""
        return clean_environment(
            {
                "MESSENGER_SERVER_URL": self.endpoint.url,
                "MESSENGER_API_KEY": self.key,
                "MESSENGER_STATE_DIR": str(self.folder / f"state-{secrets.token_hex(4)}"),
            }
        )


def measure(bench: Bench, names: Sequence[str]) -> list[Result]:
    """The wanted figures of this group."""
    database = bench.folder / "processes.db"
    key = create_key(database)
    addresses = add_mailboxes(database, "watched", bench.sizes.rounds)
    results = []
    if "server_rss" in names:
        rounds = [Round(_server_rss(database), _imports_rss()) for _ in range(bench.sizes.rounds)]
        results.append(result_of(FIGURE_BY_NAME["server_rss"], rounds))
    with running_server(database) as (_, endpoint):
        stage = _Stage(endpoint, key, addresses, bench.folder)
        if "mcp_start" in names or "mcp_rss" in names:
            results += _results("mcp", names, _mcp_rounds(bench, stage))
        if "watch_start" in names or "watch_rss" in names:
            results += _results("watch", names, _watch_rounds(bench, stage))
    return results


def _results(
    prefix: str, names: Sequence[str], starts: list[tuple[_Started, _Started]]
) -> list[Result]:
    """The wanted ones of the two figures that every start gives."""
    times = [Round(ours.start_ms, floor.start_ms) for ours, floor in starts]
    memory = [Round(ours.resident_mb, floor.resident_mb) for ours, floor in starts]
    taken = ((f"{prefix}_start", times), (f"{prefix}_rss", memory))
    return [result_of(FIGURE_BY_NAME[name], rounds) for name, rounds in taken if name in names]


def _server_rss(database: Path) -> float:
    with running_server(database) as (process, _):
        time.sleep(_IDLE_SECONDS)
        return process.resident_bytes() / 1e6


def _imports_rss() -> float:
    command = [sys.executable, "-c", _FLOOR_IMPORTS]
    with _child(command, clean_environment({}), subprocess.DEVNULL) as child:
        _pipe(child.stdout).readline()
        return resident_bytes(child.pid) / 1e6


def _mcp_rounds(bench: Bench, stage: _Stage) -> list[tuple[_Started, _Started]]:
    floor = [sys.executable, "-c", "from tools.bench import floor_mcp; floor_mcp.main()"]
    log = bench.folder / "mcp.log"
    return [
        (
            _mcp_start(_CLIENT, stage.environment(), log),
            _mcp_start(floor, clean_environment({}), log),
        )
        for _ in range(bench.sizes.rounds)
    ]


def _mcp_start(command: list[str], environment: dict[str, str], log: Path) -> _Started:
    """One start of an MCP server: milliseconds until it listed its tools."""
    begin = time.perf_counter()
    with log.open("ab") as stderr, _child(command, environment, stderr) as child:
        _ask(child, 1, "initialize", _INITIALIZE)
        resident = resident_bytes(child.pid)
        _tell(child, {"method": "notifications/initialized"})
        _ask(child, 2, "tools/list", {})
        return _Started((time.perf_counter() - begin) * 1000, resident / 1e6)


_INITIALIZE: Final[dict[str, object]] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def _ask(child: subprocess.Popen[bytes], number: int, method: str, params: object) -> None:
    """Asks a JSON-RPC server and reads until its answer has come.

    Raises:
        BenchFailure: it answered with an error, or ended.
    """
    _tell(child, {"id": number, "method": method, "params": params})
    for line in _pipe(child.stdout):
        answer = json.loads(line)
        if answer.get("id") == number:
            if "result" not in answer:
                raise BenchFailure(f"{method}: {answer}")
            return
    raise BenchFailure(f"{child.args!r} ended before it answered {method}")


def _tell(child: subprocess.Popen[bytes], message: dict[str, object]) -> None:
    pipe = _pipe(child.stdin)
    pipe.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    pipe.flush()


def _watch_rounds(bench: Bench, stage: _Stage) -> list[tuple[_Started, _Started]]:
    return [(_watch_start(stage, address), _request_start(stage)) for address in stage.addresses]


def _watch_start(stage: _Stage, address: str) -> _Started:
    """One start of a watcher: milliseconds until the server says that its wait is open."""
    log = stage.folder / "watch.log"
    command = [*_CLIENT, "--watch", address]
    with contextlib.closing(HTTPConnection(*stage.endpoint)) as asking:
        assert not _has_wait(asking, stage.key, address), "nobody watches yet"
        begin = time.perf_counter()
        with log.open("ab") as stderr, _child(command, stage.environment(), stderr) as child:
            while not _has_wait(asking, stage.key, address):
                if child.poll() is not None or time.perf_counter() > begin + _PATIENCE_SECONDS:
                    raise BenchFailure(f"no wait of {command!r}: {log.read_text()[-500:]}")
                time.sleep(_LOOK_SECONDS)
            started = time.perf_counter() - begin
            return _Started(started * 1000, resident_bytes(child.pid) / 1e6)


def _has_wait(asking: HTTPConnection, key: str, address: str) -> bool:
    """Whether the server says that a watcher's wait is open at this moment."""
    headers = {"Authorization": f"Bearer {key}", "X-Agent-Id": address}
    asking.request("GET", "/api/mailbox", headers=headers)
    status = json.loads(asking.getresponse().read())
    return bool(status["watcher"]["waiting"])


def _request_start(stage: _Stage) -> _Started:
    """One start of a bare client: milliseconds until its one request was answered."""
    begin = time.perf_counter()
    command = [sys.executable, "-c", _FLOOR_REQUEST, stage.endpoint.url, stage.key]
    with _child(command, clean_environment({}), subprocess.DEVNULL) as child:
        if _pipe(child.stdout).readline() != b"200\n":
            raise BenchFailure("the bare client got no answer")
        return _Started((time.perf_counter() - begin) * 1000, resident_bytes(child.pid) / 1e6)


@contextlib.contextmanager
def _child(
    command: list[str], environment: dict[str, str], stderr: IO[bytes] | int
) -> Iterator[subprocess.Popen[bytes]]:
    """A child with pipes, killed when the block is left."""
    child = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "the child was started with pipes"
    return stream
