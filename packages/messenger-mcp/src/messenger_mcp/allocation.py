"""Which mailbox a session works: the registry finds it, or a setting fixes it."""

import os
from collections.abc import Mapping
from typing import Protocol

from messenger_mcp.config import ClientConfig
from messenger_mcp.project_identity import project_fingerprint
from messenger_mcp.registry import Claim, Orphan, Registry
from messenger_mcp.session_identity import HostSession
from messenger_mcp.state_dir import StateDir


class Allocation(Protocol):
    """What a session asks and tells about its mailbox: `Registry` has the words for each.

    Methods may read and write files: off the event loop, one at a time. `own`, `working` and
    `mark_used` may not.
    """

    @property
    def own(self) -> str | None:
        """The session's own mailbox."""

    @property
    def working(self) -> str | None:
        """The mailbox being worked: an attached one, else one's own; `None`: a new one is due."""

    def claim(self, host_session: HostSession | None) -> Claim:
        """Finds the mailbox of a host's session; once."""

    def record_new(self, address: str) -> None:
        """Makes a mailbox that the server has just given one's own."""

    def attach(self, address: str) -> bool:
        """Works another mailbox; tells whether the session's next start returns to it."""

    def detach(self) -> str | None:
        """Goes back to one's own mailbox."""

    def forget(self, address: str) -> None:
        """Drops a mailbox that the server no longer knows."""

    def give_up(self, address: str) -> None:
        """Lets go of a mailbox that the key may not open."""

    def mark_used(self) -> None:
        """Notes that the worked mailbox has carried mail."""

    def heartbeat(self) -> None:
        """Says that the session lives."""

    def close(self) -> None:
        """Says that it ends."""

    def orphans_of_project(self) -> list[Orphan]:
        """The project's mailboxes that no session holds."""


class FixedAllocation:
    """A mailbox that a setting names: nothing is kept, any number of sessions work it."""

    def __init__(self, address: str) -> None:
        self.own: str | None = address
        self._attached: str | None = None

    @property
    def working(self) -> str | None:
        """The attached mailbox, else the fixed one."""
        return self._attached or self.own

    def claim(self, host_session: HostSession | None) -> Claim:
        """The fixed one, whichever session asks."""
        del host_session
        return Claim(self.own, self.working)

    def record_new(self, address: str) -> None:
        """Never asked for: there is always the fixed one."""
        raise AssertionError(f"{address} was given beside the fixed address {self.own}")

    def attach(self, address: str) -> bool:
        """Works another mailbox until the session ends."""
        self._attached = None if address == self.own else address
        return False

    def detach(self) -> str | None:
        """Goes back to the fixed one."""
        self._attached = None
        return self.own

    def forget(self, address: str) -> None:
        """Leaves an attached mailbox; the fixed one is registered again."""
        if address == self._attached:
            self._attached = None

    def give_up(self, address: str) -> None:
        """Leaves an attached mailbox."""
        self.forget(address)

    def mark_used(self) -> None:
        """Nothing is kept."""

    def heartbeat(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is kept."""

    def orphans_of_project(self) -> list[Orphan]:
        """None is offered: the address is chosen."""
        return []


def allocation_of(config: ClientConfig, environ: Mapping[str, str] = os.environ) -> Allocation:
    """How a session of these settings comes to its mailbox."""
    if config.fixed_address is not None:
        return FixedAllocation(config.fixed_address)
    state = StateDir(config.state_dir)
    return Registry(state, config.server_url, project_fingerprint(environ))
