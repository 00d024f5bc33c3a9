"""Filing: the caller's messages marked, moved and deleted, many at once."""

from messenger_core.wire.messages import Changed, DeleteMessages, MarkMessages, MoveMessages
from messenger_server.api.call import Call, NoQuery
from messenger_server.store import filing


async def mark_messages(call: Call[NoQuery, MarkMessages]) -> Changed:
    """Marks messages as read or unread, flagged or not; an absent mark stays."""
    return await call.services.database.write(filing.mark_messages, call.mailbox_id, call.body)


async def move_messages(call: Call[NoQuery, MoveMessages]) -> Changed:
    """Puts messages into a folder; waits on that folder look again."""
    changed = await call.services.database.write(filing.move_messages, call.mailbox_id, call.body)
    call.services.hub.wake(call.mailbox_id)
    return changed


async def delete_messages(call: Call[NoQuery, DeleteMessages]) -> Changed:
    """Moves messages to the trash; what lies there, or all with `permanent`, is destroyed."""
    changed = await call.services.database.write(filing.delete_messages, call.mailbox_id, call.body)
    call.services.hub.wake(call.mailbox_id)
    return changed
