"""When keys and console sessions were last used: collected here, written by the background."""

from typing import Final

from messenger_core.limits import LAST_USE_SECONDS

_UNWRITTEN_MS: Final = LAST_USE_SECONDS * 1000


class LastUse:
    """The uses, of keys or of sessions, that the base does not know yet."""

    def __init__(self) -> None:
        self._last_used_ms: dict[int, int] = {}

    def note(self, of: int, known_ms: int | None, now_ms: int) -> None:
        """Notes a use now, unless the base knows one (`known_ms`) of the last minute."""
        if known_ms is None or now_ms - known_ms >= _UNWRITTEN_MS:
            self._last_used_ms[of] = now_ms

    def take(self) -> dict[int, int]:
        """What was noted since the last call: milliseconds since 1970 by internal number."""
        taken, self._last_used_ms = self._last_used_ms, {}
        return taken
