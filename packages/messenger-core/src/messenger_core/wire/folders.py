"""Folders: named places in a mailbox."""

from messenger_core.wire.common import FolderName, Request, Response


class Folder(Response, frozen=True, kw_only=True):
    """A folder with what it holds."""

    name: str
    system: bool
    """One of `inbox`, `sent`, `archive`, `trash`: always there."""
    total: int
    unread: int


class Folders(Response, frozen=True, kw_only=True):
    """The folders of the caller's mailbox: the system's first, then its own by name."""

    folders: list[Folder]


class CreateFolder(Request, frozen=True, kw_only=True):
    """A new folder of the caller's mailbox."""

    name: FolderName
