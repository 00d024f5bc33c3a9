"""The tools that need this machine: today the one that lets incoming messages interrupt.

The others are the same wherever they run and stand in `messenger_core.tools`.
"""

import asyncio
import os
import time
from dataclasses import dataclass

from messenger_core.tools.lines import counted
from messenger_core.tools.mailboxes import NoArguments
from messenger_core.tools.tool import CHANGES, AnyTool, Tool, ToolCall
from messenger_core.wire.mailboxes import MailboxStatus
from messenger_mcp.handoff import (
    HandOff,
    LocalSession,
    host_session_fingerprint,
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
    host_session: str | None
    """Fingerprint of the host's session id."""


def workplace_of(session: Session) -> Workplace:
    """The workplace of a session of this process."""
    return Workplace(
        session=session,
        state=StateDir(session.config.state_dir),
        launch=Launch.of_this_process(),
        host_session=host_session_fingerprint(os.environ),
    )


class Notifications:
    """What `enable_notifications` leaves on this machine, and takes away at the session's end."""

    def __init__(self, workplace: Workplace) -> None:
        self._place = workplace
        self._process = this_process()
        self._addresses: set[str] = set()

    @property
    def host_session(self) -> str | None:
        """Fingerprint of the host's session id, where the environment names it."""
        return self._place.host_session

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
        write_handoff(
            self._place.state,
            HandOff(
                server_url=self._place.session.config.server_url,
                api_key=self._place.session.config.api_key,
                address=address,
                head=head,
                written_at_ms=int(now * 1000),
                sessions=[
                    LocalSession(process=self._process, host_session=self._place.host_session)
                ],
            ),
        )
        self._addresses.add(address)


def local_tools(notifications: Notifications) -> tuple[AnyTool, ...]:
    """The local tools, in the order in which they follow the others."""
    return (
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
{_unread(status)}
On another host: run the command under anything that reads its lines as they come."""


def _armed_already(status: MailboxStatus, command: str, why: str) -> str:
    return f"""\
Notifications are on already for mailbox `{status.mailbox.id}`: {why}. Start no second one.
{_unread(status)}
When the host says that the monitor expired or ended, call the Monitor tool with these arguments:
{_arguments(command)}"""


def _arguments(command: str) -> str:
    return f"  command:     {command}\n  description: {_DESCRIPTION}\n  timeout_ms:  {_TIMEOUT_MS}"


def _unread(status: MailboxStatus) -> str:
    unread = sum(folder.unread for folder in status.folders if folder.name == "inbox")
    if not unread:
        return "No unread mail is there now."
    return f"Already there: {counted(unread, 'unread message')} (list_messages)."
