"""What `--watch` watches: found in a hand-off, else in the environment."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from messenger_core.ids import is_address
from messenger_mcp.config import ClientConfig, LocalConfig, SettingError
from messenger_mcp.handoff import find_handoff
from messenger_mcp.session_identity import host_session_fingerprint
from messenger_mcp.state_dir import StateDir

_LOOK_SECONDS = 0.5
"""How often a hand-off that is not there yet is looked for."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class WatchTarget:
    """A mailbox to watch, with all that it takes."""

    server_url: str
    api_key: str = field(repr=False)
    address: str
    head: int | None
    """Watching starts after this `seq`; absent: at the head of the moment."""
    timeout_seconds: float
    state: StateDir
    host_thread_id: str | None = None
    """The thread of the session that left the hand-off, where its host has such ids."""


async def await_target(environ: Mapping[str, str], address: str | None) -> WatchTarget:
    """The mailbox to watch; where the host's session is known, as soon as it leaves its hand-off.

    A host may start the watcher together with the session, which needs a moment, or a server, to
    register. Only a named address, or a session that nobody knows, is refused at once.

    Raises:
        SettingError: nothing was found, and what is missing; or a setting is wrong.
    """
    said = False
    while True:
        try:
            return find_target(environ, address)
        except _NoHandOffError as error:
            if address is not None or host_session_fingerprint(environ) is None:
                raise
            if not said:
                _log.warning("Waiting for this session to leave its hand-off. %s", error)
                said = True
        await asyncio.sleep(_LOOK_SECONDS)


def find_target(environ: Mapping[str, str], address: str | None) -> WatchTarget:
    """The mailbox of an address, of the host's session, or of the environment.

    Raises:
        SettingError: nothing was found, and what is missing; or a setting is wrong.
    """
    local = LocalConfig.from_env(environ)
    state = StateDir(local.state_dir)
    if address is not None and not is_address(address):
        raise SettingError(
            f"{address!r} is no mailbox address: give one like box_9f2c4a01b3d7e5f8."
        )
    handoff = find_handoff(
        state,
        address=address,
        host_session=host_session_fingerprint(environ),
        server_url=environ.get("MESSENGER_SERVER_URL", "").strip().rstrip("/"),
    )
    if handoff is None:
        return _from_environment(environ, address, state)
    return WatchTarget(
        server_url=handoff.server_url,
        api_key=handoff.api_key,
        address=handoff.address,
        head=handoff.head,
        timeout_seconds=local.timeout_seconds,
        state=state,
        host_thread_id=handoff.host_thread_id,
    )


def has_moved(environ: Mapping[str, str], target: WatchTarget) -> bool:
    """Whether the host's session, by its latest hand-off, works another mailbox than this one."""
    session = host_session_fingerprint(environ)
    handoff = None if session is None else find_handoff(target.state, host_session=session)
    return handoff is not None and (
        (handoff.server_url, handoff.address) != (target.server_url, target.address)
    )


class _NoHandOffError(SettingError):
    """Neither a hand-off nor the environment names a mailbox to watch."""


def _from_environment(
    environ: Mapping[str, str], address: str | None, state: StateDir
) -> WatchTarget:
    try:
        config = ClientConfig.from_env(environ)
    except SettingError as error:
        of = "this session" if address is None else f"`{address}`"
        raise _NoHandOffError(
            f"No hand-off for {of} is in {str(state.root)!r} (a session leaves one when its agent "
            f"calls enable_notifications), and the environment does not help: {error}"
        ) from error
    watched = address or config.fixed_address
    if watched is None:
        raise _NoHandOffError(
            "No mailbox to watch: give its address (--watch box_…) or set MESSENGER_AGENT_ID."
        )
    return WatchTarget(
        server_url=config.server_url,
        api_key=config.api_key,
        address=watched,
        head=None,
        timeout_seconds=config.timeout_seconds,
        state=state,
    )
