"""Offers: mailboxes of earlier sessions of the project, with what the server says of each."""

import asyncio

from messenger_core.errors import MailboxNotFound, MailboxNotRegistered, MessengerError
from messenger_core.tools.tool import OfferedMailbox
from messenger_mcp.api_client import MessengerClient, Unreachable
from messenger_mcp.registration import Registration


async def offered_mailboxes(
    registration: Registration, client: MessengerClient
) -> list[OfferedMailbox]:
    """The mailboxes that no session holds, the one last used first; marks nothing.

    Left out are those without mail and those that the key may not open; those that the server no
    longer knows are forgotten.
    """
    orphans = await registration.orphans()
    offers = await asyncio.gather(
        *(_offer(registration, client, orphan.address) for orphan in orphans)
    )
    return [offer for offer in offers if offer is not None]


async def _offer(
    registration: Registration, client: MessengerClient, address: str
) -> OfferedMailbox | None:
    there = client.at(address)
    try:
        # The status would say it all, and mark the mailbox's links as received.
        folders = (await there.folders()).folders
        messages = sum(folder.total for folder in folders)
        if not messages:
            return None
        name = (await there.mailbox(address)).display_name
    except (MailboxNotFound, MailboxNotRegistered):
        await registration.forget(address)
        return None
    except (MessengerError, Unreachable):
        return None
    return OfferedMailbox(address, name, messages, sum(folder.unread for folder in folders))
