"""Links: whom the person has brought together with the caller."""

from typing import Any

from messenger_core.wire.links import Links
from messenger_server.api.call import Call, NoQuery
from messenger_server.store.links import has_unreceived_links, links_of, mark_links_received


async def list_links(call: Call[NoQuery, None]) -> Links:
    """The linked mailboxes, newest first; they count as received."""
    await receive_links(call)
    return Links(links=await call.services.database.read(links_of, call.mailbox_id))


async def receive_links(call: Call[Any, None]) -> None:  # Any: a query of any shape
    """Marks the caller's links, unless there is nothing to mark, or no room for a write now."""
    database = call.services.database
    if await database.read(has_unreceived_links, call.mailbox_id) and not database.is_full():
        await database.write(mark_links_received, call.mailbox_id)
