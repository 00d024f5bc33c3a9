"""The server's messages in the console, which only reads them."""

from msgspec.structs import replace
from sqlalchemy import Connection

from messenger_core.wire.admin import ConsoleMessage, ConsoleMessagePage, ConsoleMessageQuery
from messenger_server.admin.etag import polled
from messenger_server.api.call import Call, NoQuery
from messenger_server.markdown_tree import TreeCache
from messenger_server.store.console_listing import list_console_messages
from messenger_server.store.console_messages import console_message


@polled
async def list_messages(call: Call[ConsoleMessageQuery, None]) -> ConsoleMessagePage:
    """A page of the server's messages, newest first."""
    return await call.services.database.search(list_console_messages, call.query)


@polled
async def show_message(call: Call[NoQuery, None]) -> ConsoleMessage:
    """One message whole; to nobody does it count as read."""
    services = call.services
    return await services.database.search(_read, call.name, services.trees)


def with_tree(shown: ConsoleMessage, trees: TreeCache) -> ConsoleMessage:
    """The message with its body as nodes; asked in the pool of slow reads."""
    assert isinstance(shown.body, str), "a message is opened whole"
    return replace(shown, body_tree=trees.tree_of(shown.id, shown.body))


def _read(connection: Connection, message_id: str, trees: TreeCache) -> ConsoleMessage:
    return with_tree(console_message(connection, message_id), trees)
