"""The tools that need this machine: letting incoming messages interrupt, and the like.

The others are the same wherever they run and stand in `messenger_core.tools`.
"""

import asyncio
import time
from dataclasses import dataclass

from messenger_core.tools.mailboxes import NoArguments, unread_line
from messenger_core.tools.tool import CHANGES, AnyTool, Tool, ToolCall
from messenger_core.wire.mailboxes import MailboxStatus
from messenger_core.wire.wait import WaitQuery
from messenger_mcp.attaching import attaching_tool
from messenger_mcp.file_tools import file_tools
from messenger_mcp.handoff import (
    HandOff,
    LocalSession,
    purge_handoffs,
    release_handoff,
    write_handoff,
)
from messenger_mcp.launch import Launch, watch_command
from messenger_mcp.processes import this_process
from messenger_mcp.session import Session
from messenger_mcp.state_dir import StateDir
from messenger_mcp.watch_lock import is_watched

_DESCRIPTION = "Incoming messenger messages"
_TIMEOUT_MS = 1_800_000


@dataclass(frozen=True, kw_only=True)
class Workplace:
    """Where a session runs: its state folder, and how its process was started."""

    session: Session
    state: StateDir
    launch: Launch


def workplace_of(session: Session) -> Workplace:
    """The workplace of a session of this process."""
    return Workplace(
        session=session,
        state=StateDir(session.config.state_dir),
        launch=Launch.of_this_process(),
    )


class Notifications:
    """What `enable_notifications` leaves on this machine, and takes away at the session's end."""

    def __init__(self, workplace: Workplace) -> None:
        self._place = workplace
        self._process = this_process()
        self._addresses: set[str] = set()

    @property
    def place(self) -> Workplace:
        """Where the session runs."""
        return self._place

    async def enable(self, call: ToolCall, _: NoArguments) -> str:
        """Leaves the hand-off and says what to arm."""
        # Two looks: the head of the first is from before the unread mail of the second was
        # counted, so that what arrives in between is announced rather than lost.
        head = (await call.mail.status()).head
        status = await call.mail.status()
        address = status.mailbox.id
        await asyncio.to_thread(self._leave, address, head)
        command = watch_command(self._place.launch, address)
        server_url = self._place.session.config.server_url
        if status.watcher.waiting:
            return _armed_already(status, command, "a watcher is waiting at this moment")
        if is_watched(self._place.state, server_url, address):
            return _armed_already(status, command, "a watcher process of this machine has it")
        return _to_arm(status, command)

    async def leave_handoff(self) -> None:
        """Leaves the hand-off of the worked mailbox, for a watcher that the host starts by itself.

        Raises:
            StateDirError: the state folder cannot be written.
            Unreachable, MessengerError: the server does not say where it stands.
        """
        session = self._place.session
        # The status would say it too, and mark the mailbox's links as received.
        head = (await session.wait(WaitQuery(timeout_seconds=0))).cursor
        await asyncio.to_thread(self._leave, await session.address(), head)

    def close(self) -> None:
        """Takes this session off its hand-offs; with the last session of a mailbox they go.

        Raises:
            StateDirError: the state folder cannot be written.
        """
        for address in self._addresses:
            release_handoff(
                self._place.state, self._place.session.config.server_url, address, self._process
            )
        self._addresses.clear()

    def _leave(self, address: str, head: int) -> None:
        now = time.time()
        purge_handoffs(self._place.state, now)
        session = self._place.session
        host_session = session.registration.host_session
        fingerprint = None if host_session is None else host_session.fingerprint
        write_handoff(
            self._place.state,
            HandOff(
                server_url=session.config.server_url,
                api_key=session.config.api_key,
                address=address,
                head=head,
                written_at_ms=int(now * 1000),
                sessions=[LocalSession(process=self._process, host_session=fingerprint)],
                host_thread_id=session.registration.host_thread_id,
            ),
        )
        self._addresses.add(address)


def local_tools(notifications: Notifications) -> tuple[AnyTool, ...]:
    """The local tools, in the order in which they follow the others.

    One that has the name of another tool stands in its place.
    """
    place = notifications.place
    return (
        *file_tools(place.session.config),
        attaching_tool(place.session, place.state),
        Tool(
            name="enable_notifications",
            title="Enable notifications",
            description=(
                "Let incoming messages interrupt you: call it once at the start of a session, "
                "then do what it says. Returns at once."
            ),
            arguments=NoArguments,
            annotations=CHANGES,
            undone="Notifications are not enabled",
            run=notifications.enable,
            always_load=True,
        ),
    )


def _to_arm(status: MailboxStatus, command: str) -> str:
    return f"""\
Notifications enabled for mailbox `{status.mailbox.id}`.

Last step — call the Monitor tool now, with exactly these arguments:
{_arguments(command)}

If the Monitor tool is not loaded, load it first (ToolSearch: select:Monitor).
Each time the host says that the monitor expired or ended, arm it again with the same arguments.
{unread_line(status)}
On another host: run the command under anything that reads its lines as they come."""


def _armed_already(status: MailboxStatus, command: str, why: str) -> str:
    return f"""\
Notifications are on already for mailbox `{status.mailbox.id}`: {why}. Start no second one.
{unread_line(status)}
When the host says that the monitor expired or ended, call the Monitor tool with these arguments:
{_arguments(command)}"""


def _arguments(command: str) -> str:
    return f"  command:     {command}\n  description: {_DESCRIPTION}\n  timeout_ms:  {_TIMEOUT_MS}"
