"""Callers: the key of a request and the mailbox that it names, in one look-up.

Every agent request asks this first. Two questions would cost nearly twice as much as one, and what
is not needed to say yes or no is left out.
"""

from typing import Final, NamedTuple

from sqlalchemy import and_, bindparam, select

from messenger_core.schema import api_key, mailbox
from messenger_server.database import Database, Lookup
from messenger_server.store.mailboxes import find_mailbox


class CallerRow(NamedTuple):
    """A key, whatever its state, and a living mailbox, whoever's it is."""

    key_id: int
    agent_name: str | None
    """Whose mailboxes the key opens; None: everybody's."""
    can_send: int
    """0 or 1, as the base keeps it."""
    expires_at: int | None
    revoked_at: int | None
    accepted_until: int | None
    last_used_at: int | None
    mailbox_id: int | None
    """None: there is no such mailbox."""
    mailbox_agent_name: str | None
    is_registered: int
    """0: nobody has connected to the mailbox yet."""


_FIND: Final = Lookup(
    CallerRow._make,
    select(
        api_key.c.id,
        api_key.c.agent_name,
        api_key.c.can_send,
        api_key.c.expires_at,
        api_key.c.revoked_at,
        api_key.c.accepted_until,
        api_key.c.last_used_at,
        mailbox.c.id,
        mailbox.c.agent_name,
        mailbox.c.last_seen_at.is_not(None),
    )
    .select_from(
        api_key.outerjoin(
            mailbox,
            and_(mailbox.c.address == bindparam("address"), mailbox.c.deleted_at.is_(None)),
        )
    )
    .where(api_key.c.fingerprint == bindparam("fingerprint")),
    "address",
    "fingerprint",
)


async def find_caller(
    database: Database, fingerprint: str, address: str | None
) -> CallerRow | None:
    """The key with this fingerprint, and the mailbox that an address or a claimed name means.

    None: there is no such key.
    """
    found = await database.lookup(_FIND, address, fingerprint)
    if found is None or found.mailbox_id is not None or address is None:
        return found
    mailbox_row = await find_mailbox(database, address)
    if mailbox_row is None:
        return found
    return found._replace(
        mailbox_id=mailbox_row.id,
        mailbox_agent_name=mailbox_row.agent_name,
        is_registered=int(mailbox_row.registered),
    )
