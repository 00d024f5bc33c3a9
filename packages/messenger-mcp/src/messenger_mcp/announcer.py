"""From what a wait brought to lines that are out: paced, in order, with their place kept."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from messenger_core.wire.wait import WaitResult
from messenger_mcp.announcing import KEEPALIVE_LINE
from messenger_mcp.outlet import Outlet, Reader
from messenger_mcp.pacing import Event, Outbox, Pace
from messenger_mcp.watch_cursor import WatchCursor

_SLOW_SECONDS = 0.1
"""How soon a reader that does not read is looked at again."""
_LINES_MAX = 500
"""With this many lines waiting (links do not merge), the server keeps the rest for now."""


class Announcer:
    """Prints a line for each event, and keeps the place of the last one."""

    def __init__(
        self,
        outlet: Outlet,
        cursor: WatchCursor,
        pace: Pace,
        keepalive_seconds: float | None = None,
        *,
        on_line: Callable[[], None] | None = None,
    ) -> None:
        """Prints nothing yet.

        Args:
            outlet: where the lines go.
            cursor: keeps the place of the last line.
            pace: how fast lines go out.
            keepalive_seconds: a line is printed after this long without one; absent: never.
            on_line: called after each line that tells of an arrival.
        """
        self._outlet = outlet
        self._cursor = cursor
        self._keepalive_seconds = keepalive_seconds
        self._on_line = on_line
        self._outbox = Outbox(pace, time.monotonic())
        self._printed_at = time.monotonic()
        self._arrived = asyncio.Event()
        self._has_room = asyncio.Event()

    async def accept(self, result: WaitResult) -> None:
        """Takes what a wait brought; returns once there is room for more."""
        events = _in_order(result)
        self._keep_start(events[0].seq - 1 if events else result.cursor)
        now = time.monotonic()
        for event in events:
            self._outbox.add(event, now)
        self._arrived.set()
        while len(self._outbox) >= _LINES_MAX:
            self._has_room.clear()
            await self._has_room.wait()

    async def announce(self) -> None:
        """Prints for ever, each line as soon as the pace and the reader allow.

        Raises:
            BrokenPipeError: nobody reads any more.
        """
        while True:
            self._arrived.clear()
            self._print_lines()
            self._has_room.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause_seconds()):
                    await self._arrived.wait()

    def _keep_start(self, place: int) -> None:
        # A place is kept before there is any line, so that what arrives while no watcher runs is
        # not skipped. A place that lies ahead of the server's is from a base that is no more.
        if self._cursor.seq is None or place < self._cursor.seq:
            self._cursor.store(place)

    def _print_lines(self) -> None:
        while (reader := self._outlet.reader()) is Reader.READY:
            line = self._outbox.take(time.monotonic())
            if line is None:
                self._keep_alive()
                return
            self._print(line.text)
            self._cursor.store(line.last_seq)
            if self._on_line is not None:
                self._on_line()
        if reader is Reader.GONE:
            raise BrokenPipeError

    def _keep_alive(self) -> None:
        if self._keepalive_seconds is None:
            return
        if time.monotonic() - self._printed_at >= self._keepalive_seconds:
            self._print(KEEPALIVE_LINE)

    def _print(self, line: str) -> None:
        self._outlet.write(line)
        self._printed_at = time.monotonic()

    def _pause_seconds(self) -> float | None:
        now = time.monotonic()
        pauses = [] if (next_line := self._outbox.seconds_to_next(now)) is None else [next_line]
        if self._keepalive_seconds is not None:
            pauses.append(self._printed_at + self._keepalive_seconds - now)
        # Nothing is due before now: what is, waits for a reader that is slow.
        return max(min(pauses), _SLOW_SECONDS if min(pauses) <= 0 else 0.0) if pauses else None


def _in_order(result: WaitResult) -> list[Event]:
    events: list[Event] = [*result.messages, *result.links]
    return sorted(events, key=lambda event: event.seq)
