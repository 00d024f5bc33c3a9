"""When the watcher's lines go out, and what is merged into one: pure, time comes in.

A host stops a command that floods. The first lines go out at once, then one every two seconds;
messages that come faster stand together in one line. A line always covers a whole stretch of the
series, so the place after it is the last `seq` in it.
"""

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from messenger_core.wire.links import Link
from messenger_core.wire.messages import MessageSummary
from messenger_mcp.announcing import burst_line, link_line, message_line

Event = MessageSummary | Link


class Pace(NamedTuple):
    """How many lines go out at once after a silence, and how often one goes out then."""

    at_once: int = 3
    interval_seconds: float = 2.0


class Line(NamedTuple):
    """A line that may go out now."""

    text: str
    last_seq: int
    """The place to keep once it is out."""


@dataclass(slots=True)
class _Entry:
    """One line to be: a link, or a run of messages of which only the newest is kept."""

    count: int
    newest: Event

    def merges(self, event: Event) -> bool:
        """Takes a message into a run of messages; `False` when one of the two is a link."""
        if isinstance(event, Link) or isinstance(self.newest, Link):
            return False
        self.count += 1
        self.newest = event
        return True

    def text(self) -> str:
        """The line."""
        if isinstance(self.newest, Link):
            return link_line(self.newest)
        if self.count == 1:
            return message_line(self.newest)
        return burst_line(self.count, self.newest)


class Outbox:
    """The lines that wait for their turn."""

    def __init__(self, pace: Pace, now: float) -> None:
        """An empty outbox.

        Args:
            pace: how fast lines go out.
            now: seconds of the clock that every other `now` comes from.
        """
        self._pace = pace
        self._entries: deque[_Entry] = deque()
        self._allowed = float(pace.at_once)
        self._counted_at = now

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, event: Event, now: float) -> None:
        """Puts an event behind the others; events come in the order of their `seq`."""
        self._refill(now)
        has_line_of_its_own = len(self._entries) < int(self._allowed)
        if not has_line_of_its_own and self._entries and self._entries[-1].merges(event):
            return
        self._entries.append(_Entry(1, event))

    def take(self, now: float) -> Line | None:
        """The next line, when one may go out now; it counts as gone out."""
        self._refill(now)
        if not self._entries or self._allowed < 1:
            return None
        self._allowed -= 1
        entry = self._entries.popleft()
        return Line(entry.text(), entry.newest.seq)

    def seconds_to_next(self, now: float) -> float | None:
        """How long until `take` gives a line; `None` while there is nothing to say."""
        self._refill(now)
        if not self._entries:
            return None
        return max(0.0, (1 - self._allowed) * self._pace.interval_seconds)

    def _refill(self, now: float) -> None:
        gained = (now - self._counted_at) / self._pace.interval_seconds
        # A billionth more than counted: a timer that ends exactly on time must find its line.
        self._allowed = min(float(self._pace.at_once), self._allowed + gained + 1e-9)
        self._counted_at = now
