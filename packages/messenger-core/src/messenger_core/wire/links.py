"""Links: relations between two mailboxes, made by the person."""

from messenger_core.wire.common import Mailbox, Response


class Link(Response, frozen=True, kw_only=True):
    """A link as one of its two mailboxes sees it."""

    id: str
    seq: int
    mailbox: Mailbox
    """The other one."""
    note: str | None
    created_at: str
    received_at: str | None
    """When the caller's side learned of it."""


class Links(Response, frozen=True, kw_only=True):
    """The links of the caller's mailbox, newest first."""

    links: list[Link]
