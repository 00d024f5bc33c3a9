"""Folders: the places of a mailbox, and what each holds."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, and_, bindparam, func, or_, select

from messenger_core.errors import FolderNotFound
from messenger_core.schema import SYSTEM_FOLDER_IDS, TRASH, folder, folder_count
from messenger_core.wire.folders import Folder


class Counts(NamedTuple):
    """What a folder, or several together, hold."""

    total: int
    unread: int


_ALL: Final = (
    select(
        folder.c.id,
        folder.c.name,
        func.coalesce(folder_count.c.total, 0),
        func.coalesce(folder_count.c.unread, 0),
    )
    .select_from(
        folder.outerjoin(
            folder_count,
            and_(
                folder_count.c.folder_id == folder.c.id,
                folder_count.c.mailbox_id == bindparam("of"),
            ),
        )
    )
    .where(or_(folder.c.mailbox_id.is_(None), folder.c.mailbox_id == bindparam("of")))
)
_OWN: Final = select(folder.c.id).where(
    folder.c.mailbox_id == bindparam("of"), folder.c.name_folded == bindparam("name")
)
_COUNTS: Final = select(folder_count.c.total, folder_count.c.unread).where(
    folder_count.c.mailbox_id == bindparam("of"), folder_count.c.folder_id == bindparam("folder")
)
_COUNTS_BUT_TRASH: Final = select(
    func.coalesce(func.sum(folder_count.c.total), 0),
    func.coalesce(func.sum(folder_count.c.unread), 0),
).where(folder_count.c.mailbox_id == bindparam("of"), folder_count.c.folder_id != TRASH)


def folders_of(connection: Connection, mailbox_id: int) -> list[Folder]:
    """Every folder of a mailbox with its counts: the system's four, then its own by name."""
    rows = connection.execute(_ALL, {"of": mailbox_id}).all()
    system = set(SYSTEM_FOLDER_IDS.values())
    ordered = sorted(
        rows, key=lambda row: (row[0] not in system, row[0] if row[0] in system else 0, row[1])
    )
    return [
        Folder(name=name, system=folder_id in system, total=total, unread=unread)
        for folder_id, name, total, unread in ordered
    ]


def folder_id_of(connection: Connection, mailbox_id: int, name: str) -> int:
    """The folder of this name in a mailbox, case ignored.

    Raises:
        FolderNotFound: the mailbox has none.
    """
    folded = name.casefold()
    found = SYSTEM_FOLDER_IDS.get(folded)
    if found is None:
        found = connection.execute(_OWN, {"of": mailbox_id, "name": folded}).scalar()
    if found is None:
        raise FolderNotFound(f"This mailbox has no folder “{name}”.")
    return found


def folder_counts(connection: Connection, mailbox_id: int, folder_id: int | None) -> Counts:
    """What a folder holds, from its stored counters; `None`: every folder but the trash."""
    if folder_id is None:
        row = connection.execute(_COUNTS_BUT_TRASH, {"of": mailbox_id}).first()
    else:
        row = connection.execute(_COUNTS, {"of": mailbox_id, "folder": folder_id}).first()
    return Counts(0, 0) if row is None else Counts(row[0], row[1])
