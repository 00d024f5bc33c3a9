"""Mailboxes: registration, the directory, the caller's own counters, renaming."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core import limits
from messenger_core.wire.common import (
    AgentName,
    Description,
    DisplayName,
    Mailbox,
    Offset,
    PageLimit,
    Request,
    Response,
    SearchText,
)
from messenger_core.wire.folders import Folder
from messenger_core.wire.links import Link


class RegisterMailbox(Request, frozen=True, kw_only=True, omit_defaults=True):
    """What a client says of its mailbox when it connects."""

    agent_name: AgentName | None = None
    """Absent leaves what is there."""
    agent_description: Description | None = None
    """Absent leaves what is there."""
    display_name: DisplayName | None = None
    """For a new mailbox: a name set later is never touched."""
    description: Description | None = None
    """For a new mailbox: a description set later is never touched."""
    fresh: bool = False
    """The fixed address must not exist yet."""


class KeyFacts(Response, frozen=True, kw_only=True):
    """What a caller may know of the key it uses."""

    name: str
    agent_name: str | None
    """`null`: the key is valid for all agents."""
    expires_at: str | None


class Registered(Response, frozen=True, kw_only=True):
    """The mailbox that a client works from now on."""

    mailbox: Mailbox
    created: bool
    key: KeyFacts


class RenameMailbox(Request, frozen=True, kw_only=True, omit_defaults=True):
    """New names of the caller's mailbox; empty or `null` clears one, absent leaves it."""

    display_name: DisplayName | UnsetType | None = UNSET
    description: Description | UnsetType | None = UNSET


class DirectoryQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which part of the directory is wanted."""

    agent_name: (
        Annotated[str, Meta(min_length=1, max_length=limits.AGENT_NAME_MAX_CHARS)] | None
    ) = None
    """All mailboxes of this agent, paged."""
    search: SearchText | None = None
    """Words found in names, descriptions and address."""
    limit: PageLimit = limits.PAGE_DEFAULT_ROWS
    offset: Offset = 0


class AgentGroup(Response, frozen=True, kw_only=True):
    """An agent with its latest mailboxes."""

    agent_name: str | None
    """`null`: a mailbox without agent, a group of its own."""
    agent_description: str | None
    mailbox_count: int
    mailboxes: list[Mailbox]


class Directory(Response, frozen=True, kw_only=True):
    """Everybody that the caller may write to, grouped by agent, latest activity first."""

    agents: list[AgentGroup]
    total: int
    """Number of agents; with `agent_name`, number of that agent's mailboxes."""


class WatcherState(Response, frozen=True, kw_only=True):
    """Whether a watcher interrupts the agent when mail arrives."""

    armed: bool
    since: str | None
    waiting: bool
    """A watcher holds a wait at this very moment."""


class MailboxStatus(Response, frozen=True, kw_only=True):
    """The caller's own mailbox with its counters."""

    mailbox: Mailbox
    folders: list[Folder]
    watcher: WatcherState
    links: list[Link]
    head: int
    """The newest `seq` on the server."""
    key: KeyFacts
