"""Serving: holds the database, listens on loopback, and stops at once when it is told to."""

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn
from litestar import Litestar

from messenger_server.accepting import ACCEPTED_IN_A_TURN, LoopFailures
from messenger_server.app import create_app
from messenger_server.config import HOST, Failed, Refused, ServerConfig
from messenger_server.connections import BoundedProtocol, close_overdue
from messenger_server.database import Database
from messenger_server.database.opening import refuse_foreign
from messenger_server.log import START_LOGGER, start_logging
from messenger_server.process_lock import hold_database
from messenger_server.store.account import find_account
from messenger_server.upgrading import bring_up_to_date

if sys.platform != "win32":
    import resource

_logger = logging.getLogger(START_LOGGER)

_OPEN_FILES: Final = 65_536
_BACKLOG: Final = 2048
"""Connections that the kernel keeps for us; thousands of waits may come back at once."""
_STOP_SECONDS: Final = 5
"""How long a request in flight may take once the server stops."""
_GC_THRESHOLDS: Final = (100_000, 50, 100)
"""The collector's own pace stops a server with thousands of waits for a third of a second."""

_STOP_SIGNALS: Final = tuple(
    signal.Signals[name]
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if name in signal.Signals.__members__
)


class PortTaken(Refused):
    """Another program listens on the port."""


def serve(config: ServerConfig) -> int:
    """Serves until a signal comes; gives the exit code.

    Raises:
        Refused: the database or the port cannot be had; nothing was changed.
        Failed: the application did not start.
    """
    refuse_foreign(config.db_path)  # first: nothing is written beside a file of somebody else
    start_logging(config.log_level, config.log_format)
    _allow_many_connections()
    with (
        hold_database(config.db_path, "server", config.port),
        _bound(config.port) as listener,
    ):
        if config.auto_upgrade:
            _upgrade(config.db_path)
        try:
            asyncio.run(_run(config, listener))
        except SystemExit:  # uvicorn's word for an application that does not start
            raise Failed("the server did not start; the log says why") from None
    return 0


def _allow_many_connections() -> None:
    """Raises the limit of open files as far as the system lets us: every wait holds one."""
    if sys.platform == "win32":
        return  # it has no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS lets nobody above a limit of its own
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _upgrade(path: Path) -> None:
    if path.exists() and (upgrade := bring_up_to_date(path)):
        _logger.warning(
            "upgraded the database from revision %s; its copy is %s", upgrade.before, upgrade.backup
        )


async def _run(config: ServerConfig, listener: socket.socket) -> None:
    asyncio.get_running_loop().set_exception_handler(LoopFailures())
    database = Database.open(config.db_path)
    try:
        is_set_up = await database.read(find_account) is not None
        server = _LoopbackServer(create_app(config, database), is_set_up=is_set_up)
        with _port_errors(config.port):
            # Two sockets may be bound to one port as long as neither listens.
            listener.listen(_BACKLOG)
        await server.serve(sockets=[listener])
    finally:
        await database.close()


@contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    """A socket on the port that does not accept anybody yet.

    Raises:
        PortTaken: somebody else has it.
    """
    # asyncio turns Nagle's algorithm off only where the protocol is named; with it, the body of an
    # answer waits 40 ms for the client's acknowledgement of its head.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        if os.name == "posix":
            # On Windows the same option would let two programs share the port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with _port_errors(port):
            listener.bind((HOST, port))
        yield listener


@contextmanager
def _port_errors(port: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = (
            "is in use: stop what listens there"
            if error.errno == errno.EADDRINUSE
            else f"cannot be used ({error.strerror}): free it"
        )
        raise PortTaken(f"port {port} on {HOST} {why}, or set MESSENGER_PORT") from None


class _LoopbackServer(uvicorn.Server):
    """uvicorn on a socket of ours: it says when it listens, and stops without waiting for waits."""

    def __init__(self, app: Litestar, *, is_set_up: bool) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=BoundedProtocol,
                loop="asyncio",
                ws="none",
                lifespan="on",
                backlog=ACCEPTED_IN_A_TURN,
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_STOP_SECONDS,
            )
        )
        self._app = app
        self._is_set_up = is_set_up
        self._stop = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts the application, listens, and says so."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)  # asyncio has just set what it takes in a turn
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_GC_THRESHOLDS)
        port = sockets[0].getsockname()[1] if sockets else 0
        _logger.info("listening on http://%s:%d (loopback only)", HOST, port)
        _logger.info("auth: API keys on every agent request, console account on the web console")
        _logger.info("web console: http://%s:%d/ui/", HOST, port)
        if not self._is_set_up:
            _logger.warning("no console account yet — open the web console to create it")
            _logger.warning("setup code: %s", self._app.state.setup_code.text)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends every wait, lets the other requests finish, then stops the application."""
        _logger.info("stopping")
        self._app.state.hub.close()
        await super().shutdown(sockets)

    async def main_loop(self) -> None:
        """Keeps the `Date` header true and ends overdue connections, until the stop."""
        while not await self.on_tick(0):
            close_overdue(self.server_state.connections, self._loop.time())
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), timeout=1)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stops on the first signal; none is raised again at the end, and none later is heard.

        A hang-up that the parent has us ignore stays ignored: `nohup`.
        """
        for sign in _STOP_SIGNALS:
            if signal.getsignal(sign) is not signal.SIG_IGN or sign.name != "SIGHUP":
                signal.signal(sign, self.handle_exit)
        try:
            yield
        finally:
            _ignore_signals()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Asks the loop to stop; what is on its way gets its answer first."""
        _ignore_signals()
        self.should_exit = True
        self._loop.call_soon_threadsafe(self._stop.set)


def _ignore_signals() -> None:
    """Ignores further signals: one would end the process half way through its close."""
    for sign in _STOP_SIGNALS:
        signal.signal(sign, signal.SIG_IGN)
