"""A real `messenger-server` in a process of its own, on a free port and a database of its own."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

START_SECONDS: Final = 30.0
"""Two busy cores start several servers at once."""
STOP_SECONDS: Final = 10.0


class ServerProcess:
    """Starts the server, waits until it listens, and ends it with the block.

    Everything is in `folder`: the database, the home and the log. `settings` are added to an
    environment that holds nothing else of ours. `command` is another way to start it, an installed
    script for instance.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        port: int | None = None,
        command: Sequence[str] = (sys.executable, "-m", "messenger_server"),
    ) -> None:
        self._command = list(command)
        self._temporary = None if folder else tempfile.TemporaryDirectory(prefix="messenger-")
        self.folder = folder or Path(self._temporary.name if self._temporary else "")
        self.db_path = self.folder / "data" / "messenger.db"
        self.port = port or free_port()
        self._chosen_port = port
        self._settings = dict(settings or {})
        self._log_path = self.folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens, without a final slash."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The process that runs now, or ran last."""
        assert self._process is not None, "the server was not started"
        return self._process

    @property
    def env(self) -> dict[str, str]:
        """The environment of the server and of its commands."""
        return {
            **scrubbed_environment(self.folder),
            "MESSENGER_PORT": str(self.port),
            "MESSENGER_DB_PATH": str(self.db_path),
            **self._settings,
        }

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            error.add_note(f"log of the server on port {self.port}:\n{self.log()}")
        if self._process is not None and self._process.poll() is None:
            self.kill()
        if self._temporary is not None:
            self._temporary.cleanup()

    def start(self) -> None:
        """Starts it and returns once it listens; another free port is taken when one was lost.

        Raises:
            AssertionError: it died or did not listen in time; the text holds its log.
        """
        for _ in range(3):
            self._spawn()
            wait_until(self._listens_or_died, START_SECONDS, self._failure)
            if self.process.poll() is None:
                return
            if self._chosen_port is not None or "in use" not in self.log():
                break
            self.port = free_port()
        raise AssertionError(self._failure())

    def restart(self) -> None:
        """Starts it again on the same port and database, ending it first when it still runs."""
        if self.process.poll() is None:
            self.terminate()
        self._chosen_port = self.port
        self.start()

    def kill(self) -> None:
        """Ends it as a crash would, and waits until it is gone."""
        self.process.kill()
        self.process.wait(STOP_SECONDS)

    def terminate(self, sign: int = signal.SIGTERM) -> float:
        """Asks it to stop and waits; gives the seconds from the signal until it was gone.

        Raises:
            subprocess.TimeoutExpired: it did not stop.
        """
        begun = time.monotonic()
        self.process.send_signal(sign)
        self.process.wait(STOP_SECONDS)
        return time.monotonic() - begun

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Runs one `messenger-server …` command in the server's environment, to its end."""
        return subprocess.run(
            [*self._command, *arguments],
            env=self.env,
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=START_SECONDS,
            check=False,
        )

    def create_key(self, name: str, agent: str | None = None, days: int | None = None) -> str:
        """Makes an API key through the real command line; gives the secret.

        Raises:
            AssertionError: the command failed; the text holds what it said.
        """
        arguments = ["keys", "create", name]
        arguments += ["--agent", agent] if agent is not None else []
        arguments += ["--days", str(days)] if days is not None else []
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def log(self) -> str:
        """Everything that it wrote on stderr and stdout, over all its starts."""
        if not self._log_path.exists():
            return ""
        return self._log_path.read_text(encoding="utf-8", errors="replace")

    def _spawn(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._log_path.open("ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(
                self._command,
                env=self.env,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _listens_or_died(self) -> bool:
        if self.process.poll() is not None:
            return True
        return b"listening on" in self._log_path.read_bytes()[self._log_start :]

    def _failure(self) -> str:
        return (
            f"the server on port {self.port} is not there"
            f" (exit code {self.process.poll()}); its log:\n{self.log()}"
        )


def free_port() -> int:
    """A port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert isinstance(port, int)
        return port


def scrubbed_environment(home: Path) -> dict[str, str]:
    """An environment with what a program needs to run and nothing of the person who tests."""
    kept = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "COVERAGE_PROCESS_CONFIG")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return {**environment, "HOME": str(home), "USERPROFILE": str(home), "PYTHONUTF8": "1"}


def wait_until(
    condition: Callable[[], bool],
    seconds: float = 5.0,
    failure: Callable[[], str] = lambda: "the condition did not come true",
) -> None:
    """Returns as soon as the condition holds.

    Raises:
        AssertionError: it did not within the time; with the text of `failure`.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, failure()
        time.sleep(0.01)
