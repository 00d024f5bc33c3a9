"""What a host runs at fixed moments of a session: JSON in on stdin, JSON out on stdout.

A hook never fails its host: whatever goes wrong, it says nothing and ends with code 0.
"""

import asyncio
import logging
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, TextIO

import msgspec
from msgspec import Struct

from messenger_core.errors import MessengerError
from messenger_core.tools.lines import counted
from messenger_mcp.api_client import MessengerClient, Unreachable
from messenger_mcp.config import LocalConfig, SettingError
from messenger_mcp.handoff import HandOff, find_handoff
from messenger_mcp.log import OneLine
from messenger_mcp.session_identity import session_fingerprint, session_of_environment
from messenger_mcp.state_dir import StateDir, hashed_name
from messenger_mcp.watch_lock import is_watched

_DONE = 0
_INPUT_MAX_CHARS = 4_000_000
_HANDOFF_WITHIN_SECONDS = 4.0
"""The session and this hook start together; the session needs a second to register."""
_LOOK_SECONDS = 0.1
_CALL_SECONDS = 3.0
_ONE_TURN = "sdk-cli"
"""What Claude Code calls a run without a terminal: its last words are its result, and it ends."""
_FOLDER = "hooks"
_SUFFIX = ".reminded"
_KEPT_FOR = timedelta(days=7)

_log = logging.getLogger(__name__)


class BackgroundTask(Struct, frozen=True, kw_only=True):
    """Something that the host runs beside the session."""

    type: str = ""
    status: str = ""
    command: str = ""

    def is_our_watcher(self) -> bool:
        """Whether it is a running watcher of ours."""
        return (
            self.status == "running" and "--watch" in self.command and "messenger" in self.command
        )


class HookInput(Struct, frozen=True, kw_only=True):
    """What the host tells a hook; every other field is left aside."""

    session_id: str = ""
    stop_hook_active: bool = False
    """The agent goes on already because a stop hook asked for it."""
    background_tasks: list[BackgroundTask] = []


def hook_main(event: str, environ: Mapping[str, str], stdin: TextIO, stdout: TextIO) -> int:
    """`messenger-mcp hook`: answers one event, and gives code 0 whatever happens."""
    output = logging.StreamHandler()
    output.setFormatter(OneLine("messenger-mcp hook: %(message)s"))
    logging.basicConfig(handlers=[output], level=logging.WARNING, force=True)
    answer_event(event, environ, stdin, stdout)
    return _DONE


def answer_event(event: str, environ: Mapping[str, str], stdin: TextIO, stdout: TextIO) -> None:
    """Answers `session-start` or `stop`; what goes wrong is logged, and nothing is said.

    Args:
        event: the event.
        environ: the environment, for the settings and the host's session.
        stdin: what the host tells, one JSON object.
        stdout: gets one JSON object on a line, or nothing.
    """
    try:
        answer = _answer(event, environ, _read(stdin))
        if answer is not None:
            stdout.write(msgspec.json.encode(answer).decode() + "\n")
            stdout.flush()
    except SettingError as error:
        _log.warning("%s", error)
    except Exception:  # noqa: BLE001 - the border: the host's session goes on, and it is logged
        _log.exception("the hook %s failed", event)


def _answer(event: str, environ: Mapping[str, str], told: HookInput) -> dict[str, Any] | None:
    state = StateDir(LocalConfig.from_env(environ).state_dir)
    sessions = _sessions(environ, told)
    if event == "session-start":
        return {
            "hookSpecificOutput": {
                "hookEventName": "SessionStart",
                "additionalContext": _greeting(_awaited(state, sessions)),
            }
        }
    if environ.get("CLAUDE_CODE_ENTRYPOINT") == _ONE_TURN:
        return None
    reason = _unarmed(state, sessions, told)
    return None if reason is None else {"decision": "block", "reason": reason}


def _read(stdin: TextIO) -> HookInput:
    """What the host says; nothing when it says nothing readable."""
    if stdin.isatty():
        return HookInput()
    try:
        return msgspec.json.decode(stdin.read(_INPUT_MAX_CHARS), type=HookInput)
    except (msgspec.DecodeError, UnicodeError):
        return HookInput()


def _sessions(environ: Mapping[str, str], told: HookInput) -> list[str]:
    """Fingerprints of the host's session, the surest first."""
    named = session_of_environment(environ)
    found = [] if named is None else [named.fingerprint]
    return [*found, session_fingerprint(told.session_id)] if told.session_id else found


def _found(state: StateDir, sessions: list[str]) -> HandOff | None:
    handoffs = (find_handoff(state, host_session=session) for session in sessions)
    return next((handoff for handoff in handoffs if handoff is not None), None)


def _awaited(state: StateDir, sessions: list[str]) -> HandOff | None:
    """The session's hand-off, as soon as it is there."""
    deadline = time.monotonic() + _HANDOFF_WITHIN_SECONDS
    while (handoff := _found(state, sessions)) is None and sessions:
        if time.monotonic() >= deadline:
            return None
        time.sleep(_LOOK_SECONDS)
    return handoff


def _greeting(handoff: HandOff | None) -> str:
    if handoff is None:
        return "Messenger: this session's mailbox is not known yet; `whoami` tells its address."
    unread = _unread(handoff)
    mail = (
        "The server does not answer now, so its mail is not known; `whoami` tells it."
        if unread is None
        else f"{counted(unread, 'unread message')} in it (list_messages)."
        if unread
        else "No unread mail is in it."
    )
    return f"Messenger: this session's mailbox is `{handoff.address}`. {mail}"


def _unread(handoff: HandOff) -> int | None:
    """How many unread messages are in the inbox; `None` when the server does not tell."""
    try:
        return asyncio.run(_ask_unread(handoff))
    except (Unreachable, MessengerError, TimeoutError, SettingError) as error:
        _log.warning("%s", error)
        return None


async def _ask_unread(handoff: HandOff) -> int:
    client = MessengerClient(
        handoff.server_url,
        handoff.api_key,
        timeout_seconds=_CALL_SECONDS,
        address=handoff.address,
    )
    try:
        async with asyncio.timeout(_CALL_SECONDS):
            # The status would say it too, and mark links as received that the agent never saw.
            held = (await client.folders()).folders
    finally:
        await client.aclose()
    return sum(folder.unread for folder in held if folder.name == "inbox")


def _unarmed(state: StateDir, sessions: list[str], told: HookInput) -> str | None:
    """What the agent is told when no watcher is armed, once until one was."""
    handoff = _found(state, sessions)
    if handoff is None:
        return None
    mark = state.path(_FOLDER, hashed_name(sessions[0], handoff.address) + _SUFFIX)
    armed = any(task.is_our_watcher() for task in told.background_tasks)
    if armed or is_watched(state, handoff.server_url, handoff.address):
        state.remove(mark)
        return None
    if told.stop_hook_active or mark.exists():
        return None
    oldest = time.time() - _KEPT_FOR.total_seconds()
    state.purge(_FOLDER, _SUFFIX, lambda _, written_at: written_at < oldest)
    state.write(mark, b"")
    return (
        f"Messenger: no watcher is armed for this session's mailbox `{handoff.address}`, so "
        "incoming mail does not interrupt you. Call `enable_notifications` and do what it says, "
        "then go on. If this host cannot do that, finish; this is said once."
    )
