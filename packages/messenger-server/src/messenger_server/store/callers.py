"""Callers: the key of a request and the mailbox that it names, in one look-up.

Every agent request asks this first: two questions would cost nearly twice as much as one.
"""

from typing import Any, Final, NamedTuple

from sqlalchemy import and_, bindparam, select

from messenger_core.schema import api_key, mailbox
from messenger_server.database import Database, Lookup
from messenger_server.store.keys import KeyRow
from messenger_server.store.mailboxes import MailboxRow, find_mailbox


class CallerRow(NamedTuple):
    """A key, whatever its state, and a living mailbox, whoever's it is."""

    key: KeyRow
    mailbox: MailboxRow | None


_KEY_COLUMNS: Final = len(KeyRow._fields)
_CAN_SEND: Final = KeyRow._fields.index("can_send")


def _row(columns: tuple[Any, ...]) -> CallerRow:  # Any: as the driver gives them
    key = KeyRow._make(
        (*columns[:_CAN_SEND], columns[_CAN_SEND] == 1, *columns[_CAN_SEND + 1 : _KEY_COLUMNS])
    )
    mailbox_id, address, agent_name, last_seen_at = columns[_KEY_COLUMNS:]
    if mailbox_id is None:
        return CallerRow(key, None)
    return CallerRow(key, MailboxRow(mailbox_id, address, agent_name, last_seen_at is not None))


_FIND: Final = Lookup(
    _row,
    select(
        *(api_key.c[name] for name in KeyRow._fields),
        mailbox.c.id,
        mailbox.c.address,
        mailbox.c.agent_name,
        mailbox.c.last_seen_at,
    )
    .select_from(
        api_key.outerjoin(
            mailbox,
            and_(mailbox.c.address == bindparam("address"), mailbox.c.deleted_at.is_(None)),
        )
    )
    .where(api_key.c.fingerprint == bindparam("fingerprint")),
    "fingerprint",
    "address",
)


async def find_caller(
    database: Database, fingerprint: str, address: str | None
) -> CallerRow | None:
    """The key with this fingerprint, and the mailbox that an address or a claimed name means.

    None: there is no such key.
    """
    found = await database.lookup(_FIND, fingerprint, address)
    if found is None or found.mailbox is not None or address is None:
        return found
    return CallerRow(found.key, await find_mailbox(database, address))
