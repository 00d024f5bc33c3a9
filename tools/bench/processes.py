"""Processes of the benchmark: byte-compiled, started on a free port, waited for, measured."""

import compileall
import contextlib
import importlib.util
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psutil

from tools.bench.client import BenchFailure, Endpoint

ROOT: Final = Path(__file__).resolve().parents[2]
"""The checkout."""
SCRIPTS: Final = Path(sysconfig.get_path("scripts"))
"""Where the console scripts stand."""
_LOGIN: Final = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TMPDIR", "USER")
_START_SECONDS: Final = 30
_PACKAGES: Final = ("messenger_core", "messenger_server", "messenger_mcp")


def byte_compile() -> None:
    """Compiles our packages and all installed ones: no start is measured with compiling."""
    folders = [Path(sysconfig.get_path("purelib")), ROOT / "tools"]
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            folders.append(Path(spec.origin).parent)
    for folder in folders:
        compileall.compile_dir(folder, quiet=2, workers=0)


def raise_file_limit() -> None:
    """Lets this process and its children hold as many sockets as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def clean_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a child: what a login has, and these settings.

    No setting of the product comes along, no sign of an agent's host, and nothing that keeps Python
    from using its byte code.
    """
    kept = {name: os.environ[name] for name in _LOGIN if name in os.environ}
    return {**kept, **settings}


def run_python(module: str, *arguments: str) -> str:
    """What a module of the benchmark prints, run in a process of its own.

    Raises:
        BenchFailure: it failed.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=clean_environment({}),
        stdout=subprocess.PIPE,
        check=False,
        encoding="utf-8",
    )
    if done.returncode != 0:
        raise BenchFailure(f"{module} {' '.join(arguments)} ended with {done.returncode}")
    return done.stdout


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Process:
    """A running child that is killed when its block is left; its stderr goes to a file."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self._log = log
        with log.open("ab") as stderr:
            self._child = subprocess.Popen(
                command, cwd=ROOT, env=environment, stderr=stderr, stdout=stderr
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._child.kill()
        self._child.wait()

    def wait_until_listening(self, endpoint: Endpoint) -> None:
        """Returns when the port answers.

        Raises:
            BenchFailure: the process ended, or did not listen within half a minute.
        """
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._child.poll() is not None:
                raise BenchFailure(f"{self._child.args!r} ended: {self._last_words()}")
            with contextlib.suppress(OSError), socket.create_connection(endpoint, 1):
                return
            time.sleep(0.01)
        raise BenchFailure(f"{self._child.args!r} does not listen: {self._last_words()}")

    def resident_bytes(self) -> int:
        """Memory that the process holds now."""
        return resident_bytes(self._child.pid)

    def terminate(self) -> float:
        """Sends SIGTERM; seconds until the process was gone."""
        begin = time.perf_counter()
        self._child.send_signal(signal.SIGTERM)
        self._child.wait()
        return time.perf_counter() - begin

    def _last_words(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")[-1000:]


def resident_bytes(pid: int) -> int:
    """Memory that a process holds now."""
    resident: int = psutil.Process(pid).memory_info().rss
    return resident


def server_command() -> list[str]:
    """What starts the server."""
    return [str(SCRIPTS / "messenger-server")]


def server_settings(database: Path, port: int) -> dict[str, str]:
    """The server's settings: as they come, without the quota that a load would meet at once."""
    return {
        "MESSENGER_DB_PATH": str(database),
        "MESSENGER_PORT": str(port),
        "MESSENGER_RATE_LIMIT_MAX": "0",
    }


def create_key(database: Path) -> str:
    """The secret of a new key for all agents; creates the database when there is none."""
    done = subprocess.run(
        [*server_command(), "keys", "create", "bench", "--json"],
        env=clean_environment(server_settings(database, 0)),
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    if done.returncode != 0:
        raise BenchFailure(f"keys create failed: {done.stderr}")
    secret: str = json.loads(done.stdout)["secret"]
    return secret


@contextlib.contextmanager
def running_server(database: Path) -> Iterator[tuple[Process, Endpoint]]:
    """The real server on a database, listening."""
    endpoint = Endpoint("127.0.0.1", free_port())
    environment = clean_environment(server_settings(database, endpoint.port))
    with Process(server_command(), environment, database.with_suffix(".log")) as process:
        process.wait_until_listening(endpoint)
        yield process, endpoint


@contextlib.contextmanager
def running_module(module: str, log: Path, *arguments: str) -> Iterator[Endpoint]:
    """A module of the benchmark that serves on the port it gets as its first argument."""
    endpoint = Endpoint("127.0.0.1", free_port())
    command = [sys.executable, "-m", module, str(endpoint.port), *arguments]
    with Process(command, clean_environment({}), log) as process:
        process.wait_until_listening(endpoint)
        yield endpoint
