"""Addresses: the one place that says which mailbox an address means.

Addresses given by the server, fixed addresses and claimed names share one namespace.
"""

from typing import Final

from sqlalchemy import Connection, bindparam, select

from messenger_core.ids import is_address, slugify
from messenger_core.schema import claimed_name, mailbox
from messenger_server.database import Lookup


def _id(columns: tuple[int]) -> int:
    return columns[0]


_BY_ADDRESS: Final = Lookup(
    _id,
    select(mailbox.c.id).where(
        mailbox.c.address == bindparam("address"), mailbox.c.deleted_at.is_(None)
    ),
    "address",
)
_BY_NAME: Final = Lookup(
    _id,
    select(claimed_name.c.mailbox_id).where(claimed_name.c.slug == bindparam("slug")),
    "slug",
)
_LAST_DELETED: Final = Lookup(
    _id,
    select(mailbox.c.id)
    .where(mailbox.c.address == bindparam("address"), mailbox.c.deleted_at.is_not(None))
    .order_by(mailbox.c.id.desc())
    .limit(1),
    "address",
)


def mailbox_at(connection: Connection, address: str) -> int | None:
    """The living mailbox that an address or a claimed name means; `None`: nobody's.

    A claimed name is understood as its slug and as it is written.
    """
    if is_address(address):
        found = _BY_ADDRESS.first(connection, address)
        return found if found is not None else _BY_NAME.first(connection, address)
    return _BY_NAME.first(connection, slugify(address))


def mailbox_once_at(connection: Connection, address: str) -> int | None:
    """The mailbox that an address means, or else the last deleted one that had it.

    For the filters of lists: what a deleted mailbox sent is still there.
    """
    found = mailbox_at(connection, address)
    return found if found is not None else _LAST_DELETED.first(connection, address)
