"""`set_label`: the two renamings in one call, for callers that know it; no list offers it."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core.errors import InvalidRequest
from messenger_core.tools.arguments import RequiredId
from messenger_core.tools.mailboxes import RenameOwnMailbox, rename_mailbox
from messenger_core.tools.threads import RenameThreadArguments, rename_thread
from messenger_core.tools.tool import CHANGES, Tool, ToolCall
from messenger_core.wire.common import DisplayName, Request, ThreadTitle


class SetLabel(Request, frozen=True, kw_only=True):
    """The new name of one's own mailbox, of a thread, or of both."""

    mailbox_name: Annotated[DisplayName | UnsetType, Meta(description="Empty clears it.")] = UNSET
    thread_id: Annotated[RequiredId | UnsetType, Meta(description="thr_…")] = UNSET
    thread_name: Annotated[ThreadTitle | UnsetType, Meta(description="Empty clears it.")] = UNSET


async def set_label(call: ToolCall, arguments: SetLabel) -> str:
    """Names the mailbox, a thread, or both; a refused thread leaves the mailbox as it was."""
    if (arguments.thread_id is UNSET) != (arguments.thread_name is UNSET):
        raise InvalidRequest("`thread_id` and `thread_name` go together.")
    if arguments.mailbox_name is UNSET and arguments.thread_id is UNSET:
        raise InvalidRequest("neither `mailbox_name` nor `thread_id` with `thread_name` is given.")
    said = []
    if arguments.thread_id is not UNSET and arguments.thread_name is not UNSET:
        named = RenameThreadArguments(thread_id=arguments.thread_id, name=arguments.thread_name)
        said.append(await rename_thread(call, named))
    if arguments.mailbox_name is not UNSET:
        said.append(await rename_mailbox(call, RenameOwnMailbox(name=arguments.mailbox_name)))
    return "\n".join(said)


SET_LABEL = Tool(
    name="set_label",
    title="Set label",
    description="Name your mailbox, a thread, or both.",
    arguments=SetLabel,
    annotations=CHANGES,
    undone="Nothing was named",
    run=set_label,
    is_listed=False,
)
