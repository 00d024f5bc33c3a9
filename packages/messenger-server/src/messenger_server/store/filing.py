"""Filing: a mailbox marks, moves and deletes its copies, many at once.

Every door takes ids and tells which of them the mailbox has. An id that it does not have is told
apart from nothing: whether somebody else has such a message is not said.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import bindparam, update

from messenger_core.schema import TRASH, delivery
from messenger_core.wire.messages import Changed, DeleteMessages, MarkMessages, MoveMessages
from messenger_server.database import Batch, Bulk
from messenger_server.store.copies import FiledCopy, copies_by_id
from messenger_server.store.folders import folder_id_of
from messenger_server.store.removal import remove_copies
from messenger_server.store.tally import Tally

_here = (delivery.c.mailbox_id == bindparam("of"), delivery.c.seq == bindparam("at_seq"))
_SET_READ: Final = Bulk(
    update(delivery).where(*_here).values(read_at=bindparam("new_read_at")),
    "new_read_at",
    "of",
    "at_seq",
)
_SET_FLAGGED: Final = Bulk(
    update(delivery).where(*_here).values(flagged=bindparam("new_flagged")),
    "new_flagged",
    "of",
    "at_seq",
)
_SET_FOLDER: Final = Bulk(
    update(delivery)
    .where(*_here)
    .values(folder_id=bindparam("new_folder"), trashed_at=bindparam("new_trashed_at")),
    "new_folder",
    "new_trashed_at",
    "of",
    "at_seq",
)


def mark_messages(batch: Batch, mailbox_id: int, request: MarkMessages) -> Changed:
    """Marks copies as read or not, flagged or not; what is read already keeps its time."""
    found = copies_by_id(batch.connection, mailbox_id, request.ids)
    if request.read is not None:
        _mark_read(batch, found.values(), read=request.read)
    if request.flagged is not None:
        _SET_FLAGGED.write(
            batch.connection,
            [
                (request.flagged, copy.mailbox_id, copy.seq)
                for copy in found.values()
                if copy.flagged != request.flagged
            ],
        )
    return _changed(request.ids, found)


def move_messages(batch: Batch, mailbox_id: int, request: MoveMessages) -> Changed:
    """Puts copies into a folder, any of the mailbox's; into `trash` is as good as deleting them.

    Raises:
        FolderNotFound: the mailbox has no folder of that name.
    """
    folder_id = folder_id_of(batch.connection, mailbox_id, request.folder)
    found = copies_by_id(batch.connection, mailbox_id, request.ids)
    _move(batch, found.values(), folder_id)
    return _changed(request.ids, found)


def delete_messages(batch: Batch, mailbox_id: int, request: DeleteMessages) -> Changed:
    """Puts copies into the trash, and destroys those that lie there already, or all if wanted."""
    found = copies_by_id(batch.connection, mailbox_id, request.ids)
    trashed: list[FiledCopy] = []
    destroyed: list[FiledCopy] = []
    for copy in found.values():
        is_doomed = request.permanent or copy.folder_id == TRASH
        (destroyed if is_doomed else trashed).append(copy)
    _move(batch, trashed, TRASH)
    remove_copies(batch, destroyed)
    return _changed(request.ids, found)


def _mark_read(batch: Batch, copies: Iterable[FiledCopy], *, read: bool) -> None:
    marked = [copy for copy in copies if copy.is_unread == read]
    read_at, more = (batch.now_ms, -1) if read else (None, 1)
    _SET_READ.write(batch.connection, [(read_at, copy.mailbox_id, copy.seq) for copy in marked])
    tally = Tally()
    for copy in marked:
        tally.add_to_folder(copy.mailbox_id, copy.folder_id, unread=more)
        tally.add_to_thread(copy.mailbox_id, copy.thread_id, unread=more)
    tally.write(batch.connection)


def _move(batch: Batch, copies: Iterable[FiledCopy], folder_id: int) -> None:
    """Moves what is not there yet: the time in the trash counts from the move into it."""
    moved = [copy for copy in copies if copy.folder_id != folder_id]
    trashed_at = batch.now_ms if folder_id == TRASH else None
    _SET_FOLDER.write(
        batch.connection,
        [(folder_id, trashed_at, copy.mailbox_id, copy.seq) for copy in moved],
    )
    tally = Tally()
    for copy in moved:
        unread = int(copy.is_unread)
        tally.add_to_folder(copy.mailbox_id, copy.folder_id, copies=-1, unread=-unread)
        tally.add_to_folder(copy.mailbox_id, folder_id, copies=1, unread=unread)
    tally.write(batch.connection)


def _changed(ids: Sequence[str], found: dict[str, FiledCopy]) -> Changed:
    """Each id once, in the order in which they were given."""
    distinct = list(dict.fromkeys(ids))
    return Changed(
        changed=[each for each in distinct if each in found],
        unknown=[each for each in distinct if each not in found],
    )
