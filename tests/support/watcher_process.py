"""A real `messenger-mcp --watch` in a process of its own, and the lines that it printed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from support.server_process import scrubbed_environment, wait_until

START_SECONDS: Final = 20.0
"""Two busy cores start several processes at once."""


class WatcherProcess:
    """Starts a watcher and ends it with the block.

    `folder` is its home, so its state is in `folder/.mcp-messenger`. Without `settings` it lives on
    a hand-off.
    """

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        settings: Mapping[str, str] | None = None,
        command: Sequence[str] = (sys.executable, "-m", "messenger_mcp"),
    ) -> None:
        self.command = [*command, "--watch", *arguments]
        self._folder = folder
        self._settings = dict(settings or {})
        self._read_end, write_end = os.pipe()
        self._text = b""
        self._error_path = folder / "watcher.err"
        with self._error_path.open("ab") as errors:
            self._error_start = errors.tell()
            self.process = subprocess.Popen(
                self.command,
                env={**scrubbed_environment(folder), **self._settings},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=write_end,
                stderr=errors,
            )
        os.close(write_end)
        os.set_blocking(self._read_end, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            error.add_note(f"stderr of the watcher:\n{self.errors()}\nlines:\n{self.lines()}")
        if self.process.poll() is None:
            self.kill()
        if self._read_end >= 0:
            os.close(self._read_end)

    def lines(self) -> list[str]:
        """Every whole line so far."""
        if self._read_end >= 0:
            try:
                while more := os.read(self._read_end, 65536):
                    self._text += more
            except BlockingIOError:
                pass
        return self._text.decode().split("\n")[:-1]

    def until_lines(self, count: int, seconds: float = START_SECONDS) -> list[str]:
        """The lines, once there are at least this many.

        Raises:
            AssertionError: they did not come in time; the text holds what stderr said.
        """
        wait_until(lambda: len(self.lines()) >= count, seconds, lambda: f"{self.lines()}")
        return self.lines()

    def errors(self) -> str:
        """What this process wrote on stderr."""
        content = self._error_path.read_bytes()[self._error_start :]
        return content.decode(errors="replace")

    def stop_reading(self) -> None:
        """Closes the reader's end of its stdout."""
        self.lines()
        os.close(self._read_end)
        self._read_end = -1

    def wait(self, seconds: float = START_SECONDS) -> int:
        """The exit code, once it ended."""
        return self.process.wait(seconds)

    def terminate(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        """Sends a signal; gives the exit code and the seconds until it was gone."""
        begun = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(START_SECONDS)
        return code, time.monotonic() - begun

    def kill(self) -> None:
        """Ends it as a crash would."""
        self.process.kill()
        self.process.wait(START_SECONDS)
