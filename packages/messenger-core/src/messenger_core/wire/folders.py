"""Folders: named places in a mailbox."""

from messenger_core.wire.common import Response


class Folder(Response, frozen=True, kw_only=True):
    """A folder with what it holds."""

    name: str
    system: bool
    """One of `inbox`, `sent`, `archive`, `trash`: always there."""
    total: int
    unread: int
