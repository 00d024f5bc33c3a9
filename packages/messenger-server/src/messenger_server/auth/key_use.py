"""When keys were last used: collected here, written by the background once a minute for each."""

from messenger_core.limits import KEY_LAST_USED_SECONDS
from messenger_server.store.keys import KeyRow


class KeyUse:
    """The uses of keys that the base does not know yet."""

    def __init__(self) -> None:
        self._last_used_ms: dict[int, int] = {}

    def note(self, key: KeyRow, now_ms: int) -> None:
        """Notes a use, unless the base has one of the last minute."""
        known = key.last_used_at
        if known is None or now_ms - known >= KEY_LAST_USED_SECONDS * 1000:
            self._last_used_ms[key.id] = now_ms

    def take(self) -> dict[int, int]:
        """What was noted since the last call: milliseconds since 1970 by internal number."""
        taken, self._last_used_ms = self._last_used_ms, {}
        return taken
