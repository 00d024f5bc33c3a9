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

from messenger_core.errors import MessengerError
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
from messenger_mcp.watch_target import WatchTarget, find_target

DONE = 0
FAILED = 1
REFUSED = 2
ANOTHER_WATCHER = 3

_LOOK_SECONDS = 1.0
"""How often the watcher looks whether it is still wanted."""
_UPKEEP_SECONDS = 6 * 3600.0

_log = logging.getLogger(__name__)


def watch_main(
    environ: Mapping[str, str],
    *,
    address: str | None = None,
    keepalive_seconds: float | None = None,
) -> int:
    """`messenger-mcp --watch`: watches until it ends, and gives the exit code.

    Args:
        environ: the environment.
        address: the mailbox; absent: that of the host's session, or of the environment.
        keepalive_seconds: a line is printed after this long without one; absent: never.
    """
    output = logging.StreamHandler()
    output.setFormatter(OneLine("messenger-mcp: %(message)s"))
    logging.basicConfig(handlers=[output], level=logging.WARNING, force=True)
    if sys.__stdout__ is None:
        return DONE
    outlet = Outlet(sys.__stdout__.fileno())
    return asyncio.run(
        run_watcher(environ, address, outlet=outlet, keepalive_seconds=keepalive_seconds)
    )


async def run_watcher(
    environ: Mapping[str, str],
    address: str | None,
    *,
    outlet: Outlet,
    keepalive_seconds: float | None = None,
    pace: Pace | None = None,
) -> int:
    """Watches one mailbox until it ends, and gives the exit code; the log says why it is not 0.

    Args:
        environ: the environment, for the settings and the host's session.
        address: the mailbox; absent: that of the host's session, or of the environment.
        outlet: where the lines go.
        keepalive_seconds: a line is printed after this long without one; absent: never.
        pace: how fast lines go out; absent: as the hosts bear it.
    """
    stop = _stop_on_signals()
    try:
        target = find_target(environ, address)
        lock = await take_watch_lock(target.state, target.server_url, target.address)
        if lock is None:
            _log.error("Another watcher on this machine watches `%s` already.", target.address)
            return ANOTHER_WATCHER
        with lock:
            cursor = WatchCursor(target.state, target.server_url, target.address)
            announcer = Announcer(outlet, cursor, pace or Pace(), keepalive_seconds)
            return await _watch(target, cursor, announcer, [stop.wait(), _until_unwanted(outlet)])
    except (SettingError, StateDirError) as error:
        _log.error("%s", error)
        return REFUSED


async def _watch(
    target: WatchTarget,
    cursor: WatchCursor,
    announcer: Announcer,
    ends: Sequence[Coroutine[None, None, object]],
) -> int:
    try:
        await _until_first(
            *ends,
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
        _log.error("Watching `%s` ended: %s", target.address, error)
        return REFUSED
    return DONE


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
