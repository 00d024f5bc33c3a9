"""Arrivals: what a mailbox received after some moment, and who has been told of it."""

from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from messenger_core.limits import WAIT_MAX_MESSAGES
from messenger_core.schema import RECIPIENT, TRASH, delivery
from messenger_core.wire.links import Link
from messenger_core.wire.messages import MessageSummary
from messenger_server.database import Batch, Lookup
from messenger_server.store.folders import ALL_FOLDERS, folded_name, folder_id_of
from messenger_server.store.links import links_between
from messenger_server.store.summaries import COPIES, COPY, CopyRow, Names, summary_of

_NO_END: Final = 2**63 - 1

_RECEIVED = (
    select(*COPY)
    .select_from(COPIES)
    .where(
        delivery.c.mailbox_id == bindparam("of"),
        delivery.c.seq > bindparam("after"),
        delivery.c.role == RECIPIENT,
    )
    .order_by(delivery.c.seq)
    .limit(WAIT_MAX_MESSAGES)
)
_ANYWHERE: Final = Lookup(
    CopyRow._make, _RECEIVED.where(delivery.c.folder_id != TRASH), "of", "after"
)
_IN_FOLDER: Final = Lookup(
    CopyRow._make,
    _RECEIVED.where(delivery.c.folder_id == bindparam("folder")),
    "of",
    "after",
    "folder",
)
_newest_unread = (
    select(delivery.c.seq)
    .where(
        delivery.c.mailbox_id == bindparam("of"),
        delivery.c.seq <= bindparam("until"),
        delivery.c.folder_id != TRASH,
        delivery.c.read_at.is_(None),
    )
    .order_by(delivery.c.seq.desc())
    .limit(WAIT_MAX_MESSAGES)
    .subquery("found")
)
_UNANNOUNCED: Final = Lookup(
    lambda columns: int(columns[0]),
    select(delivery.c.seq)
    .select_from(_newest_unread.join(delivery, delivery.c.seq == _newest_unread.c.seq))
    .where(delivery.c.mailbox_id == bindparam("of"), delivery.c.announced_at.is_(None))
    .order_by(delivery.c.seq),
    "of",
    "until",
)
_ANNOUNCE: Final = (
    update(delivery)
    .where(
        delivery.c.mailbox_id == bindparam("of"),
        delivery.c.seq == bindparam("at_seq"),
        delivery.c.announced_at.is_(None),
    )
    .values(announced_at=bindparam("now_ms"))
)


def arrived(
    connection: Connection,
    mailbox_id: int,
    after: int,
    folder: str | None,
    with_links: bool,
) -> tuple[list[MessageSummary], list[Link]]:
    """What a mailbox received with a seq above `after`, oldest first: messages, then links.

    At most 200 messages; links end where these do, so that nothing with a smaller seq is left out.
    The trash is, and with `folder` everything that is not in it now; `all` is what none is.

    Raises:
        FolderNotFound: the mailbox has no folder of that name.
    """
    if folder is None or folded_name(folder) == ALL_FOLDERS:
        rows = _ANYWHERE.all(connection, mailbox_id, after)
    else:
        folder_id = folder_id_of(connection, mailbox_id, folder)
        rows = _IN_FOLDER.all(connection, mailbox_id, after, folder_id)
    names = Names(connection, rows)
    messages = [summary_of(row, names) for row in rows]
    if not with_links:
        return messages, []
    until = rows[-1].seq if len(rows) == WAIT_MAX_MESSAGES else _NO_END
    return messages, links_between(connection, mailbox_id, after, until)


def unannounced(connection: Connection, mailbox_id: int, until: int) -> list[int]:
    """Which of the 200 newest unread copies up to a seq no watcher is known to have been told of.

    Whoever waits with `after=until` has been told of them: their marks were lost with a server.
    """
    return _UNANNOUNCED.all(connection, mailbox_id, until)


def mark_announced(batch: Batch, seqs_by_mailbox: Mapping[int, Iterable[int]]) -> None:
    """Notes that watchers were told of these copies; the first time counts."""
    rows = [
        {"of": mailbox_id, "at_seq": seq, "now_ms": batch.now_ms}
        for mailbox_id, seqs in seqs_by_mailbox.items()
        for seq in seqs
    ]
    if rows:
        batch.connection.execute(_ANNOUNCE, rows)
