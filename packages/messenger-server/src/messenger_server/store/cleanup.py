"""Clean-up: which mailboxes meet a criterion, and how mailboxes go, all that were named or none.

Only a mailbox's own copies go with it. Its row stays as long as a thread shows its names to the
other side; a fixed address that registers again is another mailbox.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

from msgspec.structs import asdict
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    select,
    update,
)

from messenger_core.blank import unless_blank
from messenger_core.echo import echoed
from messenger_core.errors import CriterionNoLongerMet, MailboxNotFound
from messenger_core.schema import (
    claimed_name,
    folder,
    folder_count,
    idempotency,
    link,
    link_side,
    mailbox,
    presence,
)
from messenger_core.times import rfc3339
from messenger_core.wire.admin import CleanupMailbox, CleanupPreview, Purged
from messenger_core.wire.common import Mailbox
from messenger_server.database import Batch, Bulk, Lookup
from messenger_server.store.addresses import mailbox_at
from messenger_server.store.cards import CARD, CardRow, card_of, mailbox_card
from messenger_server.store.copies import copies_of
from messenger_server.store.overview import MAILBOX_ORDER
from messenger_server.store.removal import Removed, forget_mailboxes, remove_copies

_PORTION: Final = 2000
"""So many copies are in memory at a time."""

Kind = Literal["empty", "stale", "created_before"]


class Criterion(NamedTuple):
    """What makes a mailbox one to clean up."""

    kind: Kind
    before_ms: int = 0
    """Milliseconds since 1970; nothing to an empty one."""


class Gone(NamedTuple):
    """Mailboxes that were deleted."""

    mailbox_ids: list[int]
    """Their waits have to end."""
    counts: Purged


_of: BindParameter[int] = bindparam("of")
_before: BindParameter[int] = bindparam("before")
_CONDITIONS: Final[dict[Kind, ColumnElement[bool]]] = {
    # Nothing ever passed through it: one that destroyed all its copies is not empty.
    "empty": mailbox.c.last_activity_at.is_(None),
    "stale": (mailbox.c.created_at < _before)
    & (func.coalesce(mailbox.c.last_activity_at, mailbox.c.created_at) < _before),
    "created_before": mailbox.c.created_at < _before,
}


def _asked_of(kind: Kind) -> tuple[str, ...]:
    return () if kind == "empty" else ("before",)


def _previewed(columns: Sequence[Any]) -> CleanupMailbox:  # Any: columns of several types
    card = mailbox_card(CardRow._make(columns[:-2]), linked=False)
    return CleanupMailbox(**asdict(card), message_count=columns[-2] + columns[-1])


_PREVIEWS: Final = {
    kind: Lookup(
        _previewed,
        select(*CARD, mailbox.c.sent_count, mailbox.c.received_count)
        .where(mailbox.c.deleted_at.is_(None), condition)
        .order_by(*MAILBOX_ORDER),
        *_asked_of(kind),
    )
    for kind, condition in _CONDITIONS.items()
}
_MEETS: Final = {
    kind: Lookup(
        lambda columns: int(columns[0]),
        select(mailbox.c.id).where(mailbox.c.id == _of, condition),
        "of",
        *_asked_of(kind),
    )
    for kind, condition in _CONDITIONS.items()
}
_LAST_ACTIVITY: Final = Lookup(
    tuple, select(mailbox.c.last_activity_at).where(mailbox.c.id == _of), "of"
)
_LINKS_OF: Final = Lookup(
    lambda columns: int(columns[0]),
    select(link_side.c.link_id).where(link_side.c.mailbox_id == _of),
    "of",
)
_RENAME: Final = (
    update(mailbox).where(mailbox.c.id == _of).values(display_name=bindparam("new_name"))
)
_DELETE_LINKS: Final = (
    Bulk(delete(link_side).where(link_side.c.link_id == _of), "of"),
    Bulk(delete(link).where(link.c.id == _of), "of"),
)
_DELETE_BELONGINGS: Final = tuple(
    Bulk(delete(table).where(column == _of), "of")
    for table, column in (
        (claimed_name, claimed_name.c.mailbox_id),
        (idempotency, idempotency.c.mailbox_id),
        (presence, presence.c.mailbox_id),
        (folder_count, folder_count.c.mailbox_id),
        (folder, folder.c.mailbox_id),
    )
)
"""What a mailbox has besides copies and links."""
_BURY: Final = Bulk(
    update(mailbox)
    .where(mailbox.c.id == _of)
    .values(deleted_at=bindparam("now_ms"), api_key_id=None),
    "now_ms",
    "of",
)


def preview(connection: Connection, criterion: Criterion) -> CleanupPreview:
    """The mailboxes that meet a criterion, latest activity first."""
    found = _PREVIEWS[criterion.kind].all(connection, *_values(criterion))
    return CleanupPreview(mailboxes=found)


def purge(batch: Batch, addresses: Iterable[str], criterion: Criterion) -> Gone:
    """Deletes these mailboxes if each of them still meets the criterion; else none.

    Raises:
        MailboxNotFound: some are gone; names them.
        CriterionNoLongerMet: some do not meet it; names them.
    """
    connection = batch.connection
    ids = _resolved(connection, addresses)
    values = _values(criterion)
    meets = _MEETS[criterion.kind]
    _refuse_changed(
        [address for address, of in ids.items() if meets.first(connection, of, *values) is None]
    )
    return _delete(batch, sorted(set(ids.values())))


def delete_mailbox(batch: Batch, address: str, last_activity_ms: int | None) -> Gone:
    """Deletes one mailbox if nothing passed through it since the activity that was shown.

    Raises:
        MailboxNotFound: there is none at this address.
        CriterionNoLongerMet: something did; names it.
    """
    ids = _resolved(batch.connection, [address])
    (last,) = _LAST_ACTIVITY.first(batch.connection, ids[address]) or (None,)
    if last is not None and (last_activity_ms is None or last > last_activity_ms):
        raise CriterionNoLongerMet(
            f"The mailbox {address} was last active at {rfc3339(last)}, later than was shown: "
            "nothing was deleted. Look again, and say that time as `last_activity_at`."
        )
    return _delete(batch, [ids[address]])


def rename_mailbox(batch: Batch, address: str, display_name: str | None) -> Mailbox:
    """Gives a mailbox the name that the person chose; empty or null clears it.

    Raises:
        MailboxNotFound: there is none at this address.
    """
    mailbox_id = _resolved(batch.connection, [address])[address]
    batch.connection.execute(_RENAME, {"of": mailbox_id, "new_name": unless_blank(display_name)})
    shown = card_of(batch.connection, mailbox_id, mailbox_id)
    assert shown is not None, "it was found alive"
    return shown


def _values(criterion: Criterion) -> tuple[int, ...]:
    return () if criterion.kind == "empty" else (criterion.before_ms,)


def _resolved(connection: Connection, addresses: Iterable[str]) -> dict[str, int]:
    """The living mailboxes at these addresses, by internal id.

    Raises:
        MailboxNotFound: names each that is not there.
    """
    found = {address: mailbox_at(connection, address) for address in addresses}
    unknown = [address for address, of in found.items() if of is None]
    if unknown:
        start = "There is no mailbox" if len(unknown) == 1 else "There are no mailboxes"
        named = ", ".join(map(echoed, unknown))
        raise MailboxNotFound(f"{start} {named}: nothing was changed.")
    return {address: of for address, of in found.items() if of is not None}


def _refuse_changed(addresses: Sequence[str]) -> None:
    if not addresses:
        return
    many = f"{len(addresses)} mailboxes no longer meet" if addresses[1:] else "One no longer meets"
    raise CriterionNoLongerMet(
        f"{many} the criterion: {', '.join(addresses)}. Nothing was deleted: look again."
    )


def _delete(batch: Batch, mailbox_ids: list[int]) -> Gone:
    removed = [_remove_all_copies(batch, of) for of in mailbox_ids]
    connection = batch.connection
    rows = [(of,) for of in mailbox_ids]
    links = {(each,) for of in mailbox_ids for each in _LINKS_OF.all(connection, of)}
    for deletion in _DELETE_LINKS:
        deletion.write(connection, sorted(links))
    for deletion in _DELETE_BELONGINGS:
        deletion.write(connection, rows)
    _BURY.write(connection, [(batch.now_ms, of) for of in mailbox_ids])
    forget_mailboxes(batch, mailbox_ids)
    counts = Purged(
        deleted=len(mailbox_ids),
        messages_deleted=sum(each.messages for each in removed),
        threads_deleted=sum(each.threads for each in removed),
    )
    return Gone(mailbox_ids, counts)


def _remove_all_copies(batch: Batch, mailbox_id: int) -> Removed:
    messages = threads = 0
    while copies := copies_of(batch.connection, mailbox_id, _PORTION):
        removed = remove_copies(batch, copies)
        messages += removed.messages
        threads += removed.threads
    return Removed(messages, threads)
