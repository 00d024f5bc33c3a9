"""The server's threads in the console."""

from msgspec.structs import replace
from sqlalchemy import Connection

from messenger_core.wire.admin import (
    ConsoleThreadDetail,
    ConsoleThreadPage,
    ConsoleThreadQuery,
    ConsoleThreadReadQuery,
)
from messenger_server.admin.etag import polled
from messenger_server.admin.messages import with_tree
from messenger_server.api.call import Call
from messenger_server.markdown_tree import TreeCache
from messenger_server.store.console_threads import console_thread, list_console_threads


@polled
async def list_threads(call: Call[ConsoleThreadQuery, None]) -> ConsoleThreadPage:
    """A page of the server's threads, latest activity first."""
    return await call.services.database.search(list_console_threads, call.query)


@polled
async def show_thread(call: Call[ConsoleThreadReadQuery, None]) -> ConsoleThreadDetail:
    """A thread with a page of its messages, with their bodies unless the caller says otherwise."""
    services = call.services
    return await services.database.search(_read, call.name, call.query, services.trees)


def _read(
    connection: Connection, thread_id: str, query: ConsoleThreadReadQuery, trees: TreeCache
) -> ConsoleThreadDetail:
    found = console_thread(connection, thread_id, query)
    if not query.bodies:
        return found
    return replace(found, messages=[with_tree(each, trees) for each in found.messages])
