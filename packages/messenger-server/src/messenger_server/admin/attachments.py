"""The files of whatever message, in the console."""

from messenger_server.api.attachments import served
from messenger_server.api.call import Call, Download, NoQuery
from messenger_server.store.console_messages import find_any_attachment


async def download_attachment(call: Call[NoQuery, None]) -> Download:
    """The bytes of a file, all of them or one range."""
    return await served(call, await call.services.database.read(find_any_attachment, call.name))
