"""Waits: one bounded long poll on a mailbox."""

from typing import Annotated

from msgspec import Meta

from messenger_core import limits
from messenger_core.wire.common import FolderName, Request, Response, Seq
from messenger_core.wire.links import Link
from messenger_core.wire.messages import MessageSummary


class WaitQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """How long to wait, and for what."""

    timeout_seconds: Annotated[float, Meta(ge=0)] = limits.WAIT_DEFAULT_SECONDS
    """A longer wish than the server allows is cut to what it allows."""
    folder: FolderName | None = None
    """Only messages that are in this folder now; `all`, as without it: in any but the trash."""
    watcher: bool = False
    """The caller watches for its agent: the wait counts as presence, and links end it too."""
    after: Seq | None = None
    """Everything received later than this `seq`; absent: what arrives after the call began."""


class WaitResult(Response, frozen=True, kw_only=True):
    """What a wait brought."""

    messages: list[MessageSummary]
    """Received messages, oldest first, at most 200."""
    links: list[Link]
    cursor: int
    """The `after` of the next wait."""
    timed_out: bool
