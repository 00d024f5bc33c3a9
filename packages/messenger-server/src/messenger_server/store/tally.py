"""Tally: what is added to stored counters, summed up first and written with one statement each."""

from collections import defaultdict
from typing import Final

from sqlalchemy import Connection, bindparam, update
from sqlalchemy.dialects.sqlite import insert as upsert

from messenger_core.schema import folder_count, thread_member
from messenger_server.database import Bulk

_count = upsert(folder_count)
ADD_TO_FOLDERS: Final = Bulk(
    _count.on_conflict_do_update(
        index_elements=[folder_count.c.mailbox_id, folder_count.c.folder_id],
        set_={
            "total": folder_count.c.total + _count.excluded.total,
            "unread": folder_count.c.unread + _count.excluded.unread,
        },
    ),
    "mailbox_id",
    "folder_id",
    "total",
    "unread",
)
"""Adds to what folders hold; a folder that nothing was in yet gets its row."""

_ADD_UNREAD_TO_THREADS: Final = Bulk(
    update(thread_member)
    .where(
        thread_member.c.mailbox_id == bindparam("of"),
        thread_member.c.thread_id == bindparam("in_thread"),
    )
    .values(unread_count=thread_member.c.unread_count + bindparam("more")),
    "of",
    "in_thread",
    "more",
)


class Tally:
    """Changes of what folders and threads hold, mailbox by mailbox."""

    def __init__(self) -> None:
        self._totals: defaultdict[tuple[int, int], int] = defaultdict(int)
        """By mailbox and folder."""
        self._unread: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._unread_in_threads: defaultdict[tuple[int, int], int] = defaultdict(int)
        """By mailbox and thread."""

    def add_to_folder(
        self, mailbox_id: int, folder_id: int, *, copies: int = 0, unread: int = 0
    ) -> None:
        """Counts copies that a folder gets, and unread ones among them; less than 0: that leave."""
        self._totals[mailbox_id, folder_id] += copies
        self._unread[mailbox_id, folder_id] += unread

    def add_to_thread(self, mailbox_id: int, thread_id: int, *, unread: int) -> None:
        """Counts copies of a thread that are unread now; less than 0: that no longer are."""
        self._unread_in_threads[mailbox_id, thread_id] += unread

    def write(self, connection: Connection) -> None:
        """Adds everything to the stored counters."""
        ADD_TO_FOLDERS.write(
            connection,
            [
                (*place, total, self._unread[place])
                for place, total in self._totals.items()
                if total or self._unread[place]
            ],
        )
        _ADD_UNREAD_TO_THREADS.write(
            connection, [(*of, more) for of, more in self._unread_in_threads.items() if more]
        )
