"""The quota: how many requests a mailbox or a client address may make in a window; in memory."""

import math
from datetime import timedelta
from typing import Final

from messenger_core.errors import RateLimited
from messenger_server.clock import Clock

_MOST_WINDOWS: Final = 100_000
"""Beyond this many callers the oldest window is forgotten: an address costs nothing to make up."""

Subject = int | str
"""Who is counted: a mailbox by its number, anybody else by the client address."""


class Window:
    """What one subject used since its window began."""

    __slots__ = ("began", "used")

    def __init__(self, began: float) -> None:
        self.began = began
        self.used = 0

    def give_back(self) -> None:
        """Takes back one request that turned out not to count."""
        self.used -= 1


class Quota:
    """Counts requests in fixed windows, one for each subject; a limit of 0 refuses nobody."""

    def __init__(self, limit: int, window: timedelta, clock: Clock) -> None:
        self._limit = limit
        self._seconds = window.total_seconds()
        self._clock = clock
        # In the order in which they began: the first is the first to end.
        self._windows: dict[Subject, Window] = {}

    def take(self, subject: Subject) -> Window:
        """Counts one request; the window that it gives can take it back.

        Raises:
            RateLimited: the subject used up its window; says for how long, in whole seconds.
        """
        now = self._clock.monotonic()
        window = self._windows.get(subject)
        if window is None or now - window.began >= self._seconds:
            window = self._begin(subject, now)
        if self._limit and window.used >= self._limit:
            wait = max(1, math.ceil(window.began + self._seconds - now))
            raise RateLimited(
                f"More than {self._limit} requests in {self._seconds / 60:g} min:"
                f" try again in {wait} s.",
                retry_after_seconds=wait,
            )
        window.used += 1
        return window

    def _begin(self, subject: Subject, now: float) -> Window:
        self._windows.pop(subject, None)
        self._forget(now)
        window = self._windows[subject] = Window(now)
        return window

    def _forget(self, now: float) -> None:
        """Drops the windows that have ended, and the oldest one when there are too many."""
        while self._windows:
            oldest = next(iter(self._windows))
            ended = now - self._windows[oldest].began >= self._seconds
            if not ended and len(self._windows) < _MOST_WINDOWS:
                return
            del self._windows[oldest]
