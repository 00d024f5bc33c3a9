"""Threads: conversations between two mailboxes, each with one shared title."""

from msgspec import UNSET, UnsetType

from messenger_core import limits
from messenger_core.wire.common import (
    Address,
    Description,
    Offset,
    PageLimit,
    Party,
    Priority,
    Request,
    Response,
    SearchText,
    Seq,
    ThreadTitle,
)
from messenger_core.wire.messages import MessageDetail, MessageSummary


class Thread(Response, frozen=True, kw_only=True):
    """A thread as one of its two mailboxes sees it: counts are those of its own copies."""

    id: str
    title: str
    """The subject of the opening message until the thread is named."""
    description: str | None
    named_by: Party | None
    """Who named it last; `null`: nobody has."""
    participants: list[Party]
    """Two: who opened it, then the other one."""
    message_count: int
    unread_count: int
    last_message: MessageSummary | None
    priority: Priority
    """The highest of its messages."""
    last_activity_at: str
    created_at: str


class ThreadQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which threads of the caller's mailbox are wanted."""

    unread_only: bool = False
    search: SearchText | None = None
    with_mailbox: Address | None = None
    limit: PageLimit = limits.PAGE_DEFAULT_ROWS
    offset: Offset = 0
    before: Seq | None = None
    """Only threads whose last message is older than this `seq`."""


class ThreadPage(Response, frozen=True, kw_only=True):
    """A page of threads, latest activity first."""

    threads: list[Thread]
    total: int
    total_capped: bool
    next: int | None
    """The `before` of the following page."""


class ThreadReadQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which part of a thread is wanted."""

    limit: PageLimit = limits.PAGE_DEFAULT_ROWS
    offset: Offset = 0
    newest_first: bool = False


class ThreadDetail(Response, frozen=True, kw_only=True):
    """A thread with a page of its messages."""

    thread: Thread
    messages: list[MessageDetail]
    total: int


class RenameThread(Request, frozen=True, kw_only=True, omit_defaults=True):
    """New names of a thread; empty or `null` clears one, absent leaves it."""

    title: ThreadTitle | UnsetType | None = UNSET
    description: Description | UnsetType | None = UNSET
