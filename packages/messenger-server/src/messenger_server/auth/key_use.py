"""When keys were last used: collected here, written by the background once a minute for each."""

from typing import Final

from messenger_core.limits import KEY_LAST_USED_SECONDS

_UNWRITTEN_MS: Final = KEY_LAST_USED_SECONDS * 1000


class KeyUse:
    """The uses of keys that the base does not know yet."""

    def __init__(self) -> None:
        self._last_used_ms: dict[int, int] = {}

    def note(self, key_id: int, known_ms: int | None, now_ms: int) -> None:
        """Notes a use now, unless the base knows one (`known_ms`) of the last minute."""
        if known_ms is None or now_ms - known_ms >= _UNWRITTEN_MS:
            self._last_used_ms[key_id] = now_ms

    def take(self) -> dict[int, int]:
        """What was noted since the last call: milliseconds since 1970 by internal number."""
        taken, self._last_used_ms = self._last_used_ms, {}
        return taken
