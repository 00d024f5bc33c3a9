"""The watcher: holds waits on one mailbox and prints a line for each event, for a host to read.

It ends when nobody reads it, when its parent is gone, when it is told to, and when its key or its
mailbox is refused; never because the server is away.
"""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from messenger_core.errors import MailboxNotRegistered, MessengerError
from messenger_mcp.announcer import Announcer
from messenger_mcp.api_client import MessengerClient
from messenger_mcp.config import SettingError
from messenger_mcp.handoff import purge_handoffs
from messenger_mcp.log import OneLine
from messenger_mcp.outlet import Outlet, Reader
from messenger_mcp.pacing import Pace
from messenger_mcp.state_dir import StateDir, StateDirError
from messenger_mcp.watch_cursor import WatchCursor, purge_cursors
from messenger_mcp.watch_fetch import fetch_arrivals
from messenger_mcp.watch_lock import purge_locks, take_watch_lock
from messenger_mcp.watch_target import WatchTarget, await_target, has_moved

DONE = 0
FAILED = 1
REFUSED = 2
ANOTHER_WATCHER = 3

_LOOK_SECONDS = 1.0
"""How often the watcher looks whether it is still wanted."""
_FOLLOW_SECONDS = 3.0
"""How often it looks which mailbox the session works."""
_UPKEEP_SECONDS = 6 * 3600.0

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


def watch_main(
    environ: Mapping[str, str],
    *,
    address: str | None = None,
    keepalive_seconds: float | None = None,
    wakes_codex: bool = False,
) -> int:
    """`messenger-mcp --watch`: watches until it ends, and gives the exit code.

    Args:
        environ: the environment.
        address: the mailbox; absent: that of the host's session, or of the environment.
        keepalive_seconds: a line is printed after this long without one; absent: never.
        wakes_codex: each line also wakes the Codex thread of the session.
    """
    output = logging.StreamHandler()
    output.setFormatter(OneLine("messenger-mcp: %(message)s"))
    logging.basicConfig(handlers=[output], level=logging.WARNING, force=True)
    if sys.__stdout__ is None:
        return DONE
    outlet = Outlet(sys.__stdout__.fileno())
    return asyncio.run(
        run_watcher(
            environ,
            address,
            outlet=outlet,
            keepalive_seconds=keepalive_seconds,
            wakes_codex=wakes_codex,
        )
    )


async def run_watcher(
    environ: Mapping[str, str],
    address: str | None,
    *,
    outlet: Outlet,
    keepalive_seconds: float | None = None,
    pace: Pace | None = None,
    wakes_codex: bool = False,
) -> int:
    """Watches one mailbox until it ends, and gives the exit code; the log says why it is not 0.

    Args:
        environ: the environment, for the settings and the host's session.
        address: the mailbox; absent: that of the host's session, or of the environment.
        outlet: where the lines go.
        keepalive_seconds: a line is printed after this long without one; absent: never.
        pace: how fast lines go out; absent: as the hosts bear it.
        wakes_codex: each line also wakes the Codex thread of the session.
    """
    wish = _Wish(environ, address, outlet, keepalive_seconds, pace or Pace(), wakes_codex)
    ends = _until_first(_stop_on_signals().wait(), _until_unwanted(outlet))
    ended = asyncio.ensure_future(ends)
    code: int | None = None
    try:
        while code is None:
            target = await _target(wish, ended)
            code = DONE if target is None else await _hold(target, wish, ended)
    except (SettingError, StateDirError) as error:
        _log.error("%s", error)
        code = REFUSED
    finally:
        ended.cancel()
    return code


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the person or the host asked for."""

    environ: Mapping[str, str]
    address: str | None
    outlet: Outlet
    keepalive_seconds: float | None
    pace: Pace
    wakes_codex: bool


class _MovedError(Exception):
    """The session works another mailbox now."""


async def _target(wish: _Wish, ended: asyncio.Future[None]) -> WatchTarget | None:
    """What is to be watched, as soon as it is known; `None` when the watcher is to end first."""
    found = asyncio.ensure_future(await_target(wish.environ, wish.address))
    try:
        await _until_first(_joined(found), _joined(ended))
    finally:
        if not found.done():
            found.cancel()
    return found.result() if found.done() and not found.cancelled() else None


async def _hold(target: WatchTarget, wish: _Wish, ended: asyncio.Future[None]) -> int | None:
    """Watches as the mailbox's only watcher here; gives the exit code, `None` to look again."""
    wake = None
    if wish.wakes_codex:
        from messenger_mcp.codex_wake import CodexWake, codex_thread

        wake = CodexWake(codex_thread(wish.environ, target.host_thread_id), wish.environ)
    lock = await take_watch_lock(target.state, target.server_url, target.address)
    if lock is None:
        _log.error("Another watcher on this machine watches `%s` already.", target.address)
        return ANOTHER_WATCHER
    with lock:
        cursor = WatchCursor(target.state, target.server_url, target.address)
        announcer = Announcer(
            wish.outlet,
            cursor,
            wish.pace,
            wish.keepalive_seconds,
            on_line=None if wake is None else wake.wake,
        )
        return await _watch(
            target,
            cursor,
            announcer,
            [_joined(ended), _until_moved(wish, target), *([] if wake is None else [wake.run()])],
        )


async def _watch(
    target: WatchTarget,
    cursor: WatchCursor,
    announcer: Announcer,
    others: Sequence[Coroutine[None, None, object]],
) -> int | None:
    try:
        await _until_first(
            *others,
            announcer.announce(),
            _fetch(target, cursor, announcer),
            _upkeep(target.state, cursor),
        )
    except BrokenPipeError:
        return DONE
    except OSError as error:
        _log.error("A line cannot be written: %s.", error.strerror)
        return FAILED
    except MessengerError as error:
        _log.error("Watching `%s` ended: %s", target.address, _for_the_person(error))
        return REFUSED
    except _MovedError:
        return None
    return DONE


def _for_the_person(error: MessengerError) -> str:
    # The server's words are for who registers, and a watcher never does.
    if isinstance(error, MailboxNotRegistered):
        return (
            "no session works this mailbox yet: start its agent's session first, or check the "
            "address."
        )
    return str(error)


def _stop_on_signals() -> asyncio.Event:
    """An event that SIGTERM, SIGINT and SIGHUP set, where the system has them."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    return stop


async def _until_first(*works: Coroutine[None, None, object]) -> None:
    """Runs the works together until one ends, and raises what that one raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def _until_unwanted(outlet: Outlet) -> None:
    """Returns when nobody reads the lines any more, or who started the watcher is gone."""
    parent = os.getppid()
    # Neither end of a pipe nor a parent tells asyncio that it went: they are looked at.
    while os.getppid() == parent and outlet.reader() is not Reader.GONE:  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_SECONDS)


async def _joined(task: asyncio.Future[Result]) -> None:
    """Returns when the task is done; being cancelled leaves the task alone."""
    await asyncio.wait([task])


async def _until_moved(wish: _Wish, target: WatchTarget) -> None:
    """Ends by an error when the session, which named no address, attached to another mailbox."""
    while True:
        await asyncio.sleep(_FOLLOW_SECONDS)
        if wish.address is None and has_moved(wish.environ, target):
            raise _MovedError


async def _fetch(target: WatchTarget, cursor: WatchCursor, announcer: Announcer) -> None:
    after = cursor.read()
    if after is None and target.head is not None:
        after = target.head
        cursor.store(after)
    client = MessengerClient(
        target.server_url,
        target.api_key,
        timeout_seconds=target.timeout_seconds,
        address=target.address,
    )
    try:
        await fetch_arrivals(client, after, announcer.accept)
    finally:
        await client.aclose()


async def _upkeep(state: StateDir, cursor: WatchCursor) -> None:
    """Removes what others left behind, and keeps this watcher's own place from counting as old.

    Not before the first wait is open: nobody waits for it.
    """
    await asyncio.sleep(_LOOK_SECONDS)
    while True:
        now_seconds = time.time()
        cursor.refresh()
        purge_handoffs(state, now_seconds)
        purge_locks(state, now_seconds)
        purge_cursors(state, now_seconds)
        await asyncio.sleep(_UPKEEP_SECONDS)
