"""The registry: which session holds which mailbox on this machine, and which one it finds again.

A session claims its mailbox once, keeps it with heartbeats, and closes it at its end. No method
raises for a folder that cannot be written: the session goes on, and the log says what that means.
All of them read and write files: off the event loop, please.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple

from messenger_mcp.holdings import Holdings
from messenger_mcp.registry_folder import RegistryFolder
from messenger_mcp.session_identity import HostSession
from messenger_mcp.state_dir import StateDir, StateDirError
from messenger_mcp.surroundings import Surroundings, ThisMachine

HEARTBEAT_SECONDS = 60.0
ORPHANS_OFFERED = 20

_CLAIM_WITHIN_SECONDS = 5.0
_BEAT_WITHIN_SECONDS = 1.0
_CLOSE_WITHIN_SECONDS = 0.2

_log = logging.getLogger(__name__)


class Claim(NamedTuple):
    """What a session starts with."""

    own: str | None
    """The mailbox found again; absent: none was."""
    working: str | None
    """The mailbox to work: an attached one before one's own. Absent: the server is to give a new
    one, which is then recorded."""


class Orphan(NamedTuple):
    """A mailbox of the same project that no live session holds or visits."""

    address: str
    used: bool
    """It has carried mail, as far as this machine knows; the server knows better."""
    active_at_ms: int
    """When it was last worked; good for ordering."""


class Registry:
    """One session's place among the mailboxes of one server.

    Args:
        state: the state folder.
        server_url: entries of other servers are never looked at.
        project: the fingerprint of `project_identity`.
        surroundings: clocks and process table; this machine's unless given.
    """

    def __init__(
        self,
        state: StateDir,
        server_url: str,
        project: str | None,
        surroundings: Surroundings | None = None,
    ) -> None:
        surroundings = surroundings or ThisMachine()
        self._folder = RegistryFolder(state, server_url, surroundings)
        self._holdings = Holdings(self._folder, project, surroundings)
        self._has_project = project is not None
        self._has_to_leave = False
        self._is_closed = False
        self._is_failing = False

    @property
    def own(self) -> str | None:
        """The mailbox that this session holds as its own."""
        return self._holdings.own

    @property
    def working(self) -> str | None:
        """The mailbox being worked: the attached one, else one's own."""
        return self._holdings.attached or self._holdings.own

    def claim(self, host_session: HostSession | None) -> Claim:
        """Finds the mailbox of a host's session again, unless a live session holds it.

        Called once, when the session is known: at the start, or at the first tool call.
        """
        self._holdings.host_session = host_session.fingerprint if host_session else None
        failure = self._change(_CLAIM_WITHIN_SECONDS, self._claim)
        claim = Claim(self.own, self.working)
        _log.info("%s %s", _source(host_session), _path_taken(claim))
        if failure is not None:
            _log.warning("The registry of mailboxes could not be used. %s", failure)
        return claim

    def record_new(self, address: str) -> None:
        """Makes a mailbox that the server has just given this session's own."""
        self._holdings.own = address
        failure = self._change(_CLAIM_WITHIN_SECONDS, self._holdings.record_own)
        if failure is not None:
            _log.warning("The next start would not find %s again. %s", address, failure)

    def attach(self, address: str) -> bool:
        """Works another mailbox, taken from nobody; tells whether the next start returns to it.

        One's own address brings back, as `detach`.
        """
        if address == self.own:
            self.detach()
            return True
        self._holdings.attached = address
        failure = self._change(_CLAIM_WITHIN_SECONDS, self._holdings.record_visit)
        if failure is not None:
            _log.warning("The next start may not return to %s. %s", address, failure)
        return failure is None and self._holdings.host_session is not None

    def detach(self) -> str | None:
        """Goes back to one's own mailbox, at the next start too; gives its address, if any."""
        self._holdings.attached = None
        self._leave("The next start may return to the attached mailbox.")
        return self.own

    def mark_used(self) -> None:
        """Notes that the worked mailbox has carried mail; written with the next heartbeat."""
        if self.working is not None:
            self._holdings.used.add(self.working)

    def heartbeat(self) -> None:
        """Says that this session lives, and writes what could not be written before."""
        failure = self._change(_BEAT_WITHIN_SECONDS, self._renew)
        if failure is not None and not self._is_failing:
            _log.warning("This session cannot be kept in the registry. %s", failure)
        self._is_failing = failure is not None

    def close(self) -> None:
        """Leaves its mailboxes free for the next start of this host session."""
        failure = self._change(_CLOSE_WITHIN_SECONDS, lambda: self._holdings.renew(closed=True))
        self._is_closed = True
        if failure is not None:
            _log.warning("The registry could not be told that this session ends. %s", failure)

    def orphans_of_project(self, limit: int = ORPHANS_OFFERED) -> list[Orphan]:
        """The project's free mailboxes: used ones first, then the last active.

        Whether they carry mail, and whether the key may open them, the server says.
        """
        if not self._has_project:
            return []
        orphans = [
            Orphan(entry.address, entry.used, entry.active_at_ms)
            for entry in self._holdings.deserted()
        ]
        orphans.sort(key=lambda orphan: (orphan.used, orphan.active_at_ms), reverse=True)
        return orphans[:limit]

    def forget(self, address: str) -> None:
        """Drops the entry of a mailbox that the server no longer knows."""
        self._drop(address)
        failure = self._change(_BEAT_WITHIN_SECONDS, lambda: self._folder.remove(address))
        if failure is not None:
            _log.warning("The registry entry of %s cannot be removed. %s", address, failure)

    def give_up(self, address: str) -> None:
        """Lets go of a mailbox that this session's key may not open."""
        self._drop(address)
        self._leave(f"The mailbox {address} is not free for others yet.")

    def _claim(self) -> None:
        self._folder.purge()
        self._holdings.find_again()

    def _renew(self) -> None:
        self._holdings.renew()
        if self._has_to_leave:
            self._holdings.leave_others()
            self._has_to_leave = False

    def _leave(self, consequence: str) -> None:
        failure = self._change(_CLAIM_WITHIN_SECONDS, self._holdings.leave_others)
        self._has_to_leave = failure is not None
        if failure is not None:
            _log.warning("%s %s", consequence, failure)

    def _drop(self, address: str) -> None:
        if address == self._holdings.own:
            self._holdings.own = None
        if address == self._holdings.attached:
            self._holdings.attached = None

    def _change(self, within_seconds: float, change: Callable[[], None]) -> StateDirError | None:
        try:
            with self._folder.changing(within_seconds):
                if not self._is_closed:
                    change()
        except StateDirError as error:
            return error
        return None


def _source(host_session: HostSession | None) -> str:
    if host_session is None:
        return "Nothing names the host's session:"
    return f"The host's session is named by {host_session.source}:"


def _path_taken(claim: Claim) -> str:
    if claim.working is None:
        return "no mailbox is found again, this session works a new one."
    if claim.working == claim.own:
        return f"this session works its mailbox {claim.own} again."
    return f"this session returns to the mailbox {claim.working}, to which it attached."
