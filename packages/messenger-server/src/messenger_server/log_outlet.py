"""The log's outlet: lines into stderr, which is never waited for once its reader has stopped."""

import os
import select
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

_PIECE_BYTES: Final = 4096
"""A pipe that says it is writable takes this much at once (PIPE_BUF of Linux)."""
_PATIENCE_MS: Final = 100
"""How long a full pipe may hold us up, once; then lines are dropped until it has room."""


class StderrOutlet:
    """Writes to stderr; what finds no room is dropped, and counted in the next line that does."""

    def __init__(self) -> None:
        self._dropped = 0
        self._descriptor = sys.__stderr__.fileno() if sys.__stderr__ else 2
        if sys.platform != "win32":  # there, only sockets tell whether they have room
            self._room = select.poll()
            self._room.register(self._descriptor, select.POLLOUT)

    def write(self, lines: Sequence[str]) -> None:
        """Writes the lines, or drops those for which there is no room."""
        told = [f"log lines dropped, because nobody read them: {self._dropped}"] * bool(
            self._dropped
        )
        text = "".join(f"{line}\n" for line in (*told, *lines))
        with suppress(OSError):  # nobody reads any more
            left = self._unwritten(text.encode())
            # Of what was cut in the middle, the rest of the line is gone too.
            lost = left.count(b"\n")
            self._dropped = self._dropped + lost - 1 if told and lost > len(lines) else lost

    def _unwritten(self, content: bytes) -> bytes:
        if sys.platform == "win32":
            os.write(self._descriptor, content)
            return b""
        while content and self._has_room():
            written = os.write(self._descriptor, content[:_PIECE_BYTES])
            content = content[written:]
        return content

    def _has_room(self) -> bool:
        return bool(self._room.poll(0 if self._dropped else _PATIENCE_MS))
