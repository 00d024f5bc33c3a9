"""Where the watcher's last line stood, kept over restarts: `watch/<hash>.cursor`."""

import logging
from datetime import timedelta

from messenger_mcp.state_dir import StateDir, StateDirError, hashed_name

FOLDER = "watch"
KEPT_FOR = timedelta(days=31)

_SUFFIX = ".cursor"
_SEQ_MAX_DIGITS = 16

_log = logging.getLogger(__name__)


class WatchCursor:
    """The place of one mailbox's watcher in the series of its server."""

    def __init__(self, state: StateDir, server_url: str, address: str) -> None:
        self._state = state
        self._path = state.path(FOLDER, hashed_name(server_url, address) + _SUFFIX)
        self.seq: int | None = None
        """The place that was read or stored last."""
        self._was_told = False

    def read(self) -> int | None:
        """The kept place; `None` when there is none, or what is there is no place."""
        content = self._state.read(self._path)
        if content is None:
            return None
        text = content.strip()
        if not text.isdigit() or len(text) > _SEQ_MAX_DIGITS:
            _log.warning("The watcher's place in %s is damaged and counts as absent.", self._path)
            return None
        self.seq = int(text)
        return self.seq

    def store(self, seq: int) -> None:
        """Keeps a place. Where that fails, watching goes on and one sentence in the log says so."""
        self.seq = seq
        try:
            self._state.write(self._path, b"%d\n" % seq)
        except StateDirError as error:
            if not self._was_told:
                _log.warning("%s Until then a watcher that starts again repeats lines.", error)
            self._was_told = True
        else:
            self._was_told = False

    def refresh(self) -> None:
        """Keeps the same place once more, so that it does not count as forgotten."""
        if self.seq is not None:
            self.store(self.seq)


def purge_cursors(state: StateDir, now_seconds: float) -> None:
    """Removes the places that no watcher touched for a month.

    Args:
        state: the state folder.
        now_seconds: seconds since 1970.
    """
    oldest = now_seconds - KEPT_FOR.total_seconds()
    state.purge(FOLDER, _SUFFIX, lambda _path, written_at: written_at < oldest)
