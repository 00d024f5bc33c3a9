"""Folders of the caller's mailbox: listed, made, deleted."""

from messenger_core.wire.folders import CreateFolder, Folder, Folders
from messenger_server.api.call import Call, NoQuery
from messenger_server.store import folders


async def list_folders(call: Call[NoQuery, None]) -> Folders:
    """The folders with what they hold: the system's four, then the caller's own by name."""
    return Folders(folders=await call.services.database.read(folders.folders_of, call.mailbox_id))


async def create_folder(call: Call[NoQuery, CreateFolder]) -> Folder:
    """Makes a folder."""
    return await call.services.database.write(folders.create_folder, call.mailbox_id, call.body)


async def delete_folder(call: Call[NoQuery, None]) -> None:
    """Removes a folder; what lies in it goes to `archive`, and waits on that look again."""
    # By itself: a large folder takes a while.
    database = call.services.database
    await database.write(folders.delete_folder, call.mailbox_id, call.name, alone=True)
    call.services.hub.wake(call.mailbox_id)
