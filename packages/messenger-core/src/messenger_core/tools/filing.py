"""Tools that file messages: marks, folders, the trash."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core.errors import InvalidRequest, MessageNotFound
from messenger_core.limits import IDS_MAX_COUNT, RECIPIENT_MAX_CHARS
from messenger_core.tools.arguments import RequiredId
from messenger_core.tools.lines import counted, quoted
from messenger_core.tools.plain import one_line
from messenger_core.tools.tool import CHANGES, DESTROYS, Tool, ToolCall
from messenger_core.wire.common import FolderName, Request
from messenger_core.wire.messages import Changed, DeleteMessages, MarkMessages, MoveMessages

_UNKNOWN_SHOWN = 20

MessageIds = Annotated[
    list[RequiredId], Meta(min_length=1, max_length=IDS_MAX_COUNT, description="msg_… ids.")
]


class MarkArguments(Request, frozen=True, kw_only=True):
    """Which messages get which marks."""

    message_ids: MessageIds
    read: Annotated[bool | UnsetType, Meta(description="false: unread again.")] = UNSET
    flagged: Annotated[bool | UnsetType, Meta(description="false: takes the flag off.")] = UNSET


class MoveArguments(Request, frozen=True, kw_only=True):
    """Which messages go where."""

    message_ids: MessageIds
    folder: Annotated[FolderName, Meta(description="One that exists.")]


class DeleteArguments(Request, frozen=True, kw_only=True):
    """Which messages go, and whether for good."""

    message_ids: MessageIds
    permanent: Annotated[bool, Meta(description="Destroy at once.")] = False


async def mark_messages(call: ToolCall, arguments: MarkArguments) -> str:
    """Sets or takes away marks."""
    marks = [
        *_mark(arguments.read, "read", "unread"),
        *_mark(arguments.flagged, "flagged", "not flagged"),
    ]
    if not marks:
        raise InvalidRequest("neither `read` nor `flagged` is given.")
    found = await call.mail.mark(
        MarkMessages(
            ids=arguments.message_ids,
            read=None if arguments.read is UNSET else arguments.read,
            flagged=None if arguments.flagged is UNSET else arguments.flagged,
        )
    )
    return _filed(found, f"marked as {' and '.join(marks)}.")


async def move_messages(call: ToolCall, arguments: MoveArguments) -> str:
    """Moves messages to a folder."""
    found = await call.mail.move(MoveMessages(ids=arguments.message_ids, folder=arguments.folder))
    return _filed(found, f"moved to {quoted(arguments.folder)}.")


async def delete_messages(call: ToolCall, arguments: DeleteArguments) -> str:
    """Deletes one's own copies."""
    # Nothing tells afterwards which of the messages were in the trash already.
    held = [] if arguments.permanent else (await call.mail.folders()).folders
    was_empty = not any(folder.total for folder in held if folder.name == "trash")
    found = await call.mail.delete(
        DeleteMessages(ids=arguments.message_ids, permanent=arguments.permanent)
    )
    if arguments.permanent:
        return _filed(found, "destroyed in your mailbox; the other side keeps its copy.")
    if was_empty:
        return _filed(found, "moved to the trash; move_messages brings it back.")
    return _filed(
        found,
        "deleted. What was not in the trash is there now, and move_messages brings it back; what "
        "was there already is gone for good.",
    )


def _mark(value: bool | UnsetType, yes: str, no: str) -> list[str]:
    return [] if value is UNSET else [yes if value else no]


def _filed(found: Changed, what: str) -> str:
    unknown = _unknown(found.unknown)
    if not found.changed:
        raise MessageNotFound(f"none of these is a message of this mailbox: {unknown}.")
    lines = [f"{counted(len(found.changed), 'message')} {what}"]
    if unknown:
        lines.append(f"Not in this mailbox, so left out: {unknown}.")
    return "\n".join(lines)


def _unknown(ids: list[str]) -> str:
    more = len(ids) - _UNKNOWN_SHOWN
    shown = ", ".join(one_line(text, RECIPIENT_MAX_CHARS) for text in ids[:_UNKNOWN_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown


MARK_MESSAGES = Tool(
    name="mark_messages",
    title="Mark messages",
    description="Mark your mail as read or unread, flagged or not.",
    arguments=MarkArguments,
    annotations=CHANGES,
    undone="Nothing was marked",
    run=mark_messages,
)

MOVE_MESSAGES = Tool(
    name="move_messages",
    title="Move messages",
    description="File your mail in a folder, or bring it back from the trash.",
    arguments=MoveArguments,
    annotations=CHANGES,
    undone="Nothing was moved",
    run=move_messages,
)

DELETE_MESSAGES = Tool(
    name="delete_messages",
    title="Delete messages",
    description=(
        "Move your mail to the trash; what is there already, or permanent: true, is gone for good. "
        "The other side keeps its copy."
    ),
    arguments=DeleteArguments,
    annotations=DESTROYS,
    undone="Nothing was deleted",
    run=delete_messages,
)
