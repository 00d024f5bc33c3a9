"""The console's data: the server's own view of mailboxes, messages, threads and links."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from messenger_core import limits
from messenger_core.wire.audit import Instant
from messenger_core.wire.common import (
    Address,
    DisplayName,
    Mailbox,
    MessageType,
    Offset,
    PageLimit,
    Party,
    Priority,
    Request,
    Response,
    Role,
    SearchText,
    Seq,
)
from messenger_core.wire.mailboxes import WatcherState
from messenger_core.wire.markdown import Tree
from messenger_core.wire.messages import Attachment

Note = Annotated[str, Meta(max_length=limits.NOTE_MAX_CHARS)]
PriorityFilter = Literal["high"]
"""High or urgent."""
AgentList = Annotated[str, Meta(min_length=1, max_length=20_000)]
"""Addresses, separated by commas."""


class OverviewMailbox(Mailbox, frozen=True, kw_only=True):
    """A mailbox with what passed through it."""

    unread: int
    """Of what it received."""
    sent: int
    """Copies that it has, as those it received."""
    received: int
    watcher: WatcherState
    """`waiting` is of the moment of the answer: a change of it alone makes no new one."""


class OverviewAgent(Response, frozen=True, kw_only=True):
    """An agent with all its mailboxes."""

    agent_name: str | None
    """`null`: a mailbox without agent, a group of its own."""
    agent_description: str | None
    mailboxes: list[OverviewMailbox]


class AnnouncedUnread(Response, frozen=True, kw_only=True):
    """Copies announced to a watcher over ten minutes ago and still unread."""

    count: int
    oldest_thread_id: str | None


class Totals(Response, frozen=True, kw_only=True):
    """What the whole server holds."""

    agents: int
    mailboxes: int
    messages: int
    threads: int
    unread: int
    announced_unread: AnnouncedUnread


class Overview(Response, frozen=True, kw_only=True):
    """The fleet at a glance."""

    agents: list[OverviewAgent]
    totals: Totals


class Delivery(Response, frozen=True, kw_only=True):
    """One mailbox's copy, present or gone."""

    mailbox: Party
    role: Role
    folder: str | None
    """`null`: the copy is gone."""
    announced_at: str | None
    read_at: str | None
    flagged: bool
    present: bool


class ConsoleSummary(Response, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A message without its body."""

    id: str
    thread_id: str
    thread_title: str
    from_: Party
    to: Party
    subject: str
    preview: str
    priority: Priority
    type: MessageType
    announced_at: str | None
    """When the recipient's watcher was first told; `null`: not yet."""
    has_attachments: bool
    reply_to: str | None
    created_at: str
    deliveries: list[Delivery]
    """Two: the sender's, then the recipient's."""


class ConsoleMessage(ConsoleSummary, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A message, whole; in a thread asked for without bodies they are left out."""

    attachments: list[Attachment]
    recipient_announced_at: str | None
    recipient_read_at: str | None
    correlation_id: str | None
    to_name: str | None
    body: str | UnsetType = UNSET
    body_tree: Tree | UnsetType = UNSET


class ConsoleMessageQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which messages of the server are wanted."""

    agent: AgentList | None = None
    search: SearchText | None = None
    unread_only: bool = False
    priority: PriorityFilter | None = None
    limit: PageLimit = limits.PAGE_DEFAULT_ROWS
    offset: Offset = 0
    before: Seq | None = None


class ConsoleMessagePage(Response, frozen=True, kw_only=True):
    """A page of the server's messages, newest first."""

    messages: list[ConsoleSummary]
    total: int
    total_capped: bool
    next: int | None


class ConsoleThread(Response, frozen=True, kw_only=True):
    """A thread as the server knows it: all copies count."""

    id: str
    title: str
    description: str | None
    named_by: Party | None
    participants: list[Party]
    message_count: int
    unread_count: int
    """Of its recipients."""
    last_message: ConsoleSummary | None
    priority: Priority
    last_activity_at: str
    created_at: str


class ConsoleThreadQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which threads of the server are wanted."""

    agent: AgentList | None = None
    agent_name: (
        Annotated[str, Meta(min_length=1, max_length=limits.AGENT_NAME_MAX_CHARS)] | None
    ) = None
    """All mailboxes of this agent; not together with `agent`."""
    search: SearchText | None = None
    unread_only: bool = False
    priority: PriorityFilter | None = None
    limit: PageLimit = limits.PAGE_DEFAULT_ROWS
    offset: Offset = 0
    before: Seq | None = None


class ConsoleThreadPage(Response, frozen=True, kw_only=True):
    """A page of the server's threads, latest activity first."""

    threads: list[ConsoleThread]
    total: int
    total_capped: bool
    next: int | None


class ConsoleThreadReadQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which part of a thread is wanted."""

    limit: PageLimit = limits.PAGE_DEFAULT_ROWS
    offset: Offset = 0
    newest_first: bool = False
    bodies: bool = True


class ConsoleThreadDetail(Response, frozen=True, kw_only=True):
    """A thread with a page of its messages."""

    thread: ConsoleThread
    messages: list[ConsoleMessage]
    total: int


class StaleQuery(Request, frozen=True, kw_only=True):
    """Inactive since when."""

    before: Instant
    """Creation and last activity both lie before it."""


class CreatedBeforeQuery(Request, frozen=True, kw_only=True):
    """Created before when."""

    created_before: Instant


class CleanupMailbox(Mailbox, frozen=True, kw_only=True):
    """A mailbox that a clean-up would delete."""

    message_count: int
    """Copies that it holds."""


class CleanupPreview(Response, frozen=True, kw_only=True):
    """The mailboxes that meet a criterion."""

    mailboxes: list[CleanupMailbox]


class PurgeMailboxes(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which mailboxes go, and the one criterion that each must still meet."""

    mailboxes: Annotated[list[Address], Meta(min_length=1, max_length=10_000)]
    before: Instant | None = None
    created_before: Instant | None = None
    empty: bool = False
    """`false` is no criterion."""


class Purged(Response, frozen=True, kw_only=True):
    """What a clean-up deleted."""

    deleted: int
    """Mailboxes."""
    messages_deleted: int
    """Those that nobody has a copy of any more."""
    threads_deleted: int
    """Those that no message is left of."""


class DeleteMailboxQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """What the person saw before deleting one mailbox."""

    last_activity_at: Instant | None = None
    """As the preview showed it; newer activity is a conflict."""


class NameMailbox(Request, frozen=True, kw_only=True):
    """The name that the person gives a mailbox; empty or `null` clears it."""

    display_name: DisplayName | None


class LinkEnd(Response, frozen=True, kw_only=True):
    """One mailbox of a link, and when its agent learned of it."""

    mailbox: Mailbox
    received_at: str | None


class ConsoleLink(Response, frozen=True, kw_only=True):
    """A link as the console shows it."""

    id: str
    mailboxes: list[LinkEnd]
    note: str | None
    created_at: str


class ConsoleLinks(Response, frozen=True, kw_only=True):
    """Every link, newest first."""

    links: list[ConsoleLink]


class CreateLink(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Two mailboxes to put in touch."""

    mailboxes: Annotated[list[Address], Meta(min_length=2, max_length=2)]
    note: Note | None = None
