"""Tools about folders: which there are, a new one, one less."""

from typing import Annotated

from msgspec import Meta

from messenger_core import limits
from messenger_core.tools.lines import SEPARATOR, counted, quoted
from messenger_core.tools.mailboxes import NoArguments
from messenger_core.tools.tool import ADDS, DESTROYS, READS, Tool, ToolCall
from messenger_core.wire.common import FolderName, Request
from messenger_core.wire.folders import CreateFolder, Folder


class NewFolder(Request, frozen=True, kw_only=True):
    """The folder to make."""

    name: Annotated[FolderName, Meta(description="Its name.")]


class OldFolder(Request, frozen=True, kw_only=True):
    """The folder to remove."""

    name: Annotated[FolderName, Meta(description="Its name.")]


async def list_folders(call: ToolCall, _: NoArguments) -> str:
    """All folders, a line each."""
    folders = (await call.mail.folders()).folders
    return "\n".join([f"{counted(len(folders), 'folder')}:", *map(_line, folders)])


async def create_folder(call: ToolCall, arguments: NewFolder) -> str:
    """Makes a folder."""
    folder = await call.mail.create_folder(CreateFolder(name=arguments.name))
    return f"Folder {_shown(folder.name)} made: move_messages puts mail into it."


async def delete_folder(call: ToolCall, arguments: OldFolder) -> str:
    """Removes a folder and keeps its messages."""
    await call.mail.delete_folder(arguments.name)
    return f"Folder {_shown(arguments.name)} deleted; its messages are in “archive” now."


def _line(folder: Folder) -> str:
    parts = [
        _shown(folder.name),
        counted(folder.total, "message"),
        *([f"{folder.unread:,} unread"] if folder.unread else []),
        *([] if folder.system else ["your own"]),
    ]
    return "- " + SEPARATOR.join(parts)


def _shown(name: str) -> str:
    return quoted(name, limits.FOLDER_NAME_MAX_CHARS)


LIST_FOLDERS = Tool(
    name="list_folders",
    title="List folders",
    description="Your folders with their counts.",
    arguments=NoArguments,
    annotations=READS,
    undone="The folders cannot be listed",
    run=list_folders,
)

CREATE_FOLDER = Tool(
    name="create_folder",
    title="Create folder",
    description="Make a folder to file mail in.",
    arguments=NewFolder,
    annotations=ADDS,
    undone="The folder was not made",
    run=create_folder,
)

DELETE_FOLDER = Tool(
    name="delete_folder",
    title="Delete folder",
    description="Remove a folder of your own; its messages go to archive.",
    arguments=OldFolder,
    annotations=DESTROYS,
    undone="The folder was not deleted",
    run=delete_folder,
)
