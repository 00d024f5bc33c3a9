"""The life of the MCP server on stdio: from the client's first line to a clean end.

It ends with code 0 when the client closes its input, when a signal asks for it, and when the parent
is gone; with code 2 when the server refuses the registration. Leaving is `os._exit`: a thread may
be reading the input for ever, and nothing that sits in a buffer shall reach the client.
"""

import logging
import os
import signal
import sys
import threading
from functools import partial
from typing import NoReturn

import anyio
import mcp_types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from messenger_core.errors import MessengerError
from messenger_mcp.api_client import MessengerClient, Unreachable
from messenger_mcp.client_lines import IncomingLines, OpenRequests, OutgoingLines
from messenger_mcp.config import ClientConfig, missing_roots
from messenger_mcp.local_tools import Notifications, workplace_of
from messenger_mcp.registration import Registration
from messenger_mcp.registry import HEARTBEAT_SECONDS
from messenger_mcp.server import create_server
from messenger_mcp.session import Session
from messenger_mcp.state_dir import StateDirError
from messenger_mcp.wire import Wire

DONE = 0
FAILED = 1
REFUSED = 2

_LEAVE_WITHIN_SECONDS = 0.4
"""A client that reads nothing any more cannot hold the end up longer than this."""
_ANSWERS_WITHIN_SECONDS = 2.0
"""How long a refused session still answers what its client has asked."""
_LOOK_SECONDS = 2.0
"""How often it is looked whether the parent is there: its end of the pipe may be held by others."""

_log = logging.getLogger(__name__)


def serve_stdio(config: ClientConfig, wire: Wire) -> NoReturn:
    """Serves one client and ends the process.

    Raises:
        SettingError: the proxy or certificate settings of the environment cannot be used.
    """
    anyio.run(_serve, config, wire)
    raise AssertionError("the process should have ended")


async def _serve(config: ClientConfig, wire: Wire) -> None:
    client = MessengerClient(
        config.server_url, config.api_key, timeout_seconds=config.timeout_seconds
    )
    if fault := missing_roots(config.attachment_roots):
        _log.warning("%s", fault)
    session = Session(config, client)
    notifications = Notifications(workplace_of(session))
    leave = _Leaving(session, notifications)
    server = create_server(session, notifications)
    lines, answers = IncomingLines(wire.stdin), OutgoingLines(wire.stdout)
    requests = lines.open_requests = answers.open_requests = OpenRequests()
    lines.when_ended = partial(leave.within_limit, DONE)
    answers.when_broken = partial(leave.now, DONE)
    async with stdio_server(lines, answers) as (incoming, outgoing):

        async def refuse(request_id: str | int | None, reason: str) -> None:
            code = mcp_types.PARSE_ERROR if request_id is None else mcp_types.INVALID_PARAMS
            fault = mcp_types.ErrorData(code=code, message=reason)
            answer = mcp_types.JSONRPCError(jsonrpc="2.0", id=request_id, error=fault)
            await outgoing.send(SessionMessage(answer))

        lines.refuse = refuse
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_leave_on_signal, leave)
                tasks.start_soon(_leave_without_parent, leave)
                tasks.start_soon(_leave_on_refusal, leave, session.registration, requests)
                tasks.start_soon(_keep_mailbox, session.registration)
                if config.leaves_handoff_at_start:
                    tasks.start_soon(_leave_handoffs, session.registration, notifications)
                await server.run(incoming, outgoing, server.create_initialization_options())
                tasks.cancel_scope.cancel()
        except Exception:  # noqa: BLE001 - the border of the process, and logged
            # Left to the SDK, it would wait for the end of the input before it gets anywhere.
            _log.exception("the MCP server failed")
            leave.now(FAILED)
    leave.now(DONE)


class _Leaving:
    """The way out of the process."""

    def __init__(self, session: Session, notifications: Notifications) -> None:
        self._registration = session.registration
        self._notifications = notifications

    def within_limit(self, code: int) -> None:
        """The process is gone after a moment at the latest, whoever still holds a thread."""
        timer = threading.Timer(_LEAVE_WITHIN_SECONDS, os._exit, [code])
        timer.daemon = True
        timer.start()

    def now(self, code: int) -> NoReturn:
        """Takes back what the session left on this machine and ends the process."""
        self.within_limit(code)
        self._registration.close()
        try:
            self._notifications.close()
        except StateDirError as error:
            _log.warning("%s", error)
        logging.shutdown()
        os._exit(code)


async def _leave_on_signal(leave: _Leaving) -> None:
    signals = [signal.SIGTERM, signal.SIGINT]
    if sys.platform != "win32":
        signals.append(signal.SIGHUP)
    with anyio.open_signal_receiver(*signals) as received:
        async for _ in received:
            leave.now(DONE)


async def _leave_without_parent(leave: _Leaving) -> None:
    parent = os.getppid()
    while True:
        await anyio.sleep(_LOOK_SECONDS)
        if os.getppid() != parent:
            leave.now(DONE)


async def _leave_on_refusal(
    leave: _Leaving, registration: Registration, requests: OpenRequests
) -> None:
    await registration.refused.wait()
    _log.error("the server refuses this session: %s", registration.refusal)
    # The refusal may be faster than the answer to the handshake that it came behind.
    with anyio.move_on_after(_ANSWERS_WITHIN_SECONDS):
        await requests.settled()
    leave.now(REFUSED)


async def _keep_mailbox(registration: Registration) -> None:
    while True:
        await anyio.sleep(HEARTBEAT_SECONDS)
        await registration.heartbeat()


async def _leave_handoffs(registration: Registration, notifications: Notifications) -> None:
    """Leaves the hand-off of each mailbox as soon as it is worked."""
    while True:
        await registration.entered.wait()
        registration.entered.clear()
        try:
            await notifications.leave_handoff()
        except (StateDirError, MessengerError, Unreachable) as error:
            _log.warning("no hand-off is left for a watcher: %s", error)
