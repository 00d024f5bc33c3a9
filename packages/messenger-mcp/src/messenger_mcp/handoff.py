"""Hand-offs: the private files through which a session gives its watcher what it needs.

The host starts the watcher without the session's settings, so the session leaves server, key and
address in `watch/<hash>.json`. The last local session of the mailbox takes the file away; one that
was left behind goes after seven days.
"""

import logging
from datetime import timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from messenger_mcp.file_lock import FileLock
from messenger_mcp.processes import ProcessMark, is_alive
from messenger_mcp.state_dir import StateDir, hashed_name

FOLDER = "watch"
KEPT_FOR = timedelta(days=7)

_SUFFIX = ".json"

_log = logging.getLogger(__name__)


class LocalSession(Struct, frozen=True, kw_only=True):
    """A session of this machine that works the mailbox."""

    process: ProcessMark
    host_session: str | None
    """Fingerprint of the host's session id; never the id itself."""


class HandOff(Struct, frozen=True, kw_only=True):
    """What a watcher needs to watch one mailbox."""

    server_url: str
    api_key: str
    address: str
    head: int
    """The newest `seq` before the session counted its unread mail: watching starts after it."""
    written_at_ms: int
    sessions: list[LocalSession]
    """Who holds it, the latest last."""
    host_thread_id: str | None = None
    """Of the latest session, where its host wakes a thread by an id that only calls tell (Codex);
    in clear, for it is what the wake names."""

    def __repr__(self) -> str:
        """Names the mailbox and leaves the key out: this may reach a log."""
        return f"HandOff(server_url={self.server_url!r}, address={self.address!r})"


def write_handoff(state: StateDir, handoff: HandOff) -> Path:
    """Leaves a hand-off, beside the live sessions that hold the mailbox's one already.

    Raises:
        StateDirError: the state folder cannot be written.
    """
    path = _path(state, handoff.server_url, handoff.address)
    with _changing(state):
        before = _read(state, path)
        others = [] if before is None else _others(before, handoff.sessions)
        _write(state, path, msgspec.structs.replace(handoff, sessions=others + handoff.sessions))
    return path


def find_handoff(
    state: StateDir,
    *,
    address: str | None = None,
    host_session: str | None = None,
    server_url: str | None = None,
) -> HandOff | None:
    """The hand-off of an address, or of a host's session; the latest when several fit.

    Args:
        state: the state folder.
        address: the mailbox; goes before `host_session`.
        host_session: a fingerprint of `host_session_fingerprint`.
        server_url: preferred where one fixed address lives on several servers.
    """
    found = [
        handoff
        for handoff in (_read(state, path) for path in state.files(FOLDER, _SUFFIX))
        if handoff is not None and _fits(handoff, address, host_session)
    ]
    return max(
        found,
        key=lambda handoff: (handoff.server_url == server_url, handoff.written_at_ms),
        default=None,
    )


def release_handoff(state: StateDir, server_url: str, address: str, process: ProcessMark) -> None:
    """Takes one session off a hand-off; with the mailbox's last local session the file goes.

    Raises:
        StateDirError: the state folder cannot be written.
    """
    path = _path(state, server_url, address)
    if not path.exists():
        return
    with _changing(state):
        handoff = _read(state, path)
        if handoff is None:
            state.remove(path)
            return
        left = [
            session
            for session in handoff.sessions
            if session.process != process and is_alive(session.process) is not False
        ]
        if left:
            _write(state, path, msgspec.structs.replace(handoff, sessions=left))
        else:
            state.remove(path)


def purge_handoffs(state: StateDir, now_seconds: float) -> None:
    """Removes what was left behind more than seven days ago.

    The hand-off of a session that still runs stays: its watcher is armed again every half hour.

    Args:
        state: the state folder.
        now_seconds: seconds since 1970.
    """
    oldest = now_seconds - KEPT_FOR.total_seconds()
    state.purge(
        FOLDER,
        _SUFFIX,
        lambda path, written_at: written_at < oldest and not _is_held(state, path),
    )


def _path(state: StateDir, server_url: str, address: str) -> Path:
    return state.path(FOLDER, hashed_name(server_url, address) + _SUFFIX)


def _changing(state: StateDir) -> FileLock:
    # Two sessions may come or go at the same instant; neither may lose the other's entry.
    return FileLock(state, state.path(FOLDER, "handoffs.lock"))


def _read(state: StateDir, path: Path) -> HandOff | None:
    content = state.read(path)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=HandOff)
    except (msgspec.DecodeError, UnicodeDecodeError):
        _log.warning("The hand-off %s is not readable and counts as absent.", path)
        return None


def _write(state: StateDir, path: Path, handoff: HandOff) -> None:
    state.write(path, msgspec.json.encode(handoff))


def _is_held(state: StateDir, path: Path) -> bool:
    handoff = _read(state, path) if path.suffix == _SUFFIX else None
    return handoff is not None and any(is_alive(held.process) for held in handoff.sessions)


def _others(before: HandOff, sessions: list[LocalSession]) -> list[LocalSession]:
    ours = {session.process for session in sessions}
    return [
        session
        for session in before.sessions
        if session.process not in ours and is_alive(session.process) is not False
    ]


def _fits(handoff: HandOff, address: str | None, host_session: str | None) -> bool:
    if address is not None:
        return handoff.address == address
    return host_session is not None and any(
        session.host_session == host_session for session in handoff.sessions
    )
