"""Threads: listed, read, named."""

from messenger_core.wire.threads import (
    RenameThread,
    Thread,
    ThreadDetail,
    ThreadPage,
    ThreadQuery,
    ThreadReadQuery,
)
from messenger_server.api.call import Call, NoQuery
from messenger_server.store import threads


async def list_threads(call: Call[ThreadQuery, None]) -> ThreadPage:
    """A page of the caller's threads, latest activity first."""
    database = call.services.database
    # A search takes long enough to be noticed by everybody else.
    read = database.search if call.query.search else database.read
    return await read(threads.list_threads, call.mailbox_id, call.query)


async def show_thread(call: Call[ThreadReadQuery, None]) -> ThreadDetail:
    """A thread with a page of its messages."""
    return await call.services.database.read(
        threads.get_thread, call.mailbox_id, call.name, call.query
    )


async def rename_thread(call: Call[NoQuery, RenameThread]) -> Thread:
    """New names of a thread, for both its participants."""
    return await call.services.database.write(
        threads.rename_thread, call.mailbox_id, call.name, call.body
    )
