"""Folders: the places of a mailbox, what each holds, and those that it makes for itself."""

import unicodedata
from typing import Final, NamedTuple

from sqlalchemy import (
    Connection,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from messenger_core.blank import is_blank
from messenger_core.echo import echoed
from messenger_core.errors import (
    FieldError,
    FolderExists,
    FolderNotFound,
    InvalidRequest,
    MailboxNotRegistered,
    SystemFolder,
)
from messenger_core.schema import (
    ARCHIVE,
    SYSTEM_FOLDER_IDS,
    TRASH,
    delivery,
    folder,
    folder_count,
    mailbox,
)
from messenger_core.wire.folders import CreateFolder, Folder
from messenger_server.database import Batch, Lookup
from messenger_server.store.tally import Tally

ALL_FOLDERS: Final = "all"
"""What a list calls every folder but the trash; no folder has this name."""


class Counts(NamedTuple):
    """What a folder, or several together, hold."""

    total: int
    unread: int


_IS_THERE: Final = Lookup(
    tuple,
    select(mailbox.c.id).where(mailbox.c.id == bindparam("of"), mailbox.c.deleted_at.is_(None)),
    "of",
)
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
_COUNTS: Final = Lookup(
    Counts._make,
    select(folder_count.c.total, folder_count.c.unread).where(
        folder_count.c.mailbox_id == bindparam("of"),
        folder_count.c.folder_id == bindparam("folder"),
    ),
    "of",
    "folder",
)
_COUNTS_BUT_TRASH: Final = Lookup(
    Counts._make,
    select(
        func.coalesce(func.sum(folder_count.c.total), 0),
        func.coalesce(func.sum(folder_count.c.unread), 0),
    ).where(folder_count.c.mailbox_id == bindparam("of"), folder_count.c.folder_id != TRASH),
    "of",
)
_NO_PATHS: Final = {".", ".."}
"""Names that clients take out of a path, encoded or not: the folder could not be deleted."""

_CREATE: Final = insert(folder)
_EMPTY: Final = (
    update(delivery)
    .where(delivery.c.mailbox_id == bindparam("of"), delivery.c.folder_id == bindparam("at_folder"))
    .values(folder_id=ARCHIVE)
)
_FORGET_COUNTS: Final = delete(folder_count).where(
    folder_count.c.mailbox_id == bindparam("of"), folder_count.c.folder_id == bindparam("folder")
)
_DELETE: Final = delete(folder).where(folder.c.id == bindparam("folder"))


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
    """The folder of this name in a mailbox, case and surrounding blanks ignored.

    Raises:
        FolderNotFound: the mailbox has none.
    """
    folded = folded_name(name)
    found = SYSTEM_FOLDER_IDS.get(folded) or _own_folder(connection, mailbox_id, folded)
    if found is None:
        raise FolderNotFound(f"This mailbox has no folder “{echoed(name)}”.")
    return found


def folder_counts(connection: Connection, mailbox_id: int, folder_id: int | None) -> Counts:
    """What a folder holds, from its stored counters; `None`: every folder but the trash."""
    if folder_id is None:
        found = _COUNTS_BUT_TRASH.first(connection, mailbox_id)
    else:
        found = _COUNTS.first(connection, mailbox_id, folder_id)
    return found or Counts(0, 0)


def create_folder(batch: Batch, mailbox_id: int, request: CreateFolder) -> Folder:
    """Makes a folder; blanks around its name are dropped.

    Raises:
        MailboxNotRegistered: the mailbox was purged meanwhile.
        InvalidRequest: the name is nothing but blanks, or nothing that a path can hold.
        FolderExists: the mailbox has a folder of this name, case ignored, or it is reserved.
    """
    name = request.name.strip()
    folded = folded_name(name)
    if is_blank(name.replace("/", "")) or name in _NO_PATHS:
        raise InvalidRequest(
            f"`name` is “{request.name}”: no path of the API could name such a folder.",
            errors=[FieldError("name", "must hold more than blanks, slashes or one or two dots")],
        )
    if folded == ALL_FOLDERS:
        raise FolderExists(f"The name “{name}” is reserved: it stands for every folder.")
    if folded in SYSTEM_FOLDER_IDS or _own_folder(batch.connection, mailbox_id, folded):
        raise FolderExists(f"This mailbox has a folder “{name}” already.")
    if _IS_THERE.first(batch.connection, mailbox_id) is None:
        raise MailboxNotRegistered
    row = {
        "mailbox_id": mailbox_id,
        "name": name,
        "name_folded": folded,
        "created_at": batch.now_ms,
    }
    batch.connection.execute(_CREATE, row)
    return Folder(name=name, system=False, total=0, unread=0)


def delete_folder(batch: Batch, mailbox_id: int, name: str) -> None:
    """Removes a folder of a mailbox; what lies in it goes to `archive`.

    Raises:
        SystemFolder: it is one of those that every mailbox has.
        FolderNotFound: the mailbox has no folder of that name.
    """
    folded = folded_name(name)
    if folded in SYSTEM_FOLDER_IDS:
        raise SystemFolder(f"“{folded}” is a system folder: it cannot be deleted.")
    connection = batch.connection
    folder_id = folder_id_of(connection, mailbox_id, name)
    counts = folder_counts(connection, mailbox_id, folder_id)
    connection.execute(_EMPTY, {"of": mailbox_id, "at_folder": folder_id})
    tally = Tally()
    tally.add_to_folder(mailbox_id, ARCHIVE, copies=counts.total, unread=counts.unread)
    tally.write(connection)
    connection.execute(_FORGET_COUNTS, {"of": mailbox_id, "folder": folder_id})
    connection.execute(_DELETE, {"folder": folder_id})


def folded_name(name: str) -> str:
    """The one form of all spellings of a folder's name: no case, no blanks around it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name.strip()).casefold())


def _own_folder(connection: Connection, mailbox_id: int, folded: str) -> int | None:
    found: int | None = connection.execute(_OWN, {"of": mailbox_id, "name": folded}).scalar()
    return found
