"""Time as the server takes it in: tests hand over a clock of their own."""

import time

from messenger_core import times


class Clock:
    """The clock of the machine."""

    def now_ms(self) -> int:
        """The instant, in milliseconds since 1970 (UTC); may jump when the machine is set."""
        return times.now_ms()

    def monotonic(self) -> float:
        """Seconds since some moment: for durations alone, never goes back."""
        return time.monotonic()
