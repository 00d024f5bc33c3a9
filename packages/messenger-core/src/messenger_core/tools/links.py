"""The tool about links: which mailboxes the person has linked to this one, and why."""

from messenger_core import limits
from messenger_core.tools.lines import SEPARATOR, counted, quoted, shown_name, when, who
from messenger_core.tools.mailboxes import NoArguments
from messenger_core.tools.tool import READS, Tool, ToolCall
from messenger_core.wire.links import Link


async def list_links(call: ToolCall, _: NoArguments) -> str:
    """The linked mailboxes, newest first."""
    links = (await call.mail.links()).links
    if not links:
        return "No mailbox is linked to yours: the person makes links, in the console."
    head = f"The person linked you to {counted(len(links), 'mailbox')}, newest first:"
    return "\n".join([head, *map(_line, links)])


def _line(link: Link) -> str:
    agent = shown_name(link.mailbox.agent_name)
    parts = [
        who(link.mailbox),
        *([f"agent {quoted(agent)}"] if agent else []),
        when(link.created_at),
        *([f"reason {quoted(link.note, limits.NOTE_MAX_CHARS)}"] if link.note else []),
    ]
    return "- " + SEPARATOR.join(parts)


LIST_LINKS = Tool(
    name="list_links",
    title="List links",
    description="Mailboxes that the person linked to yours, and the reason.",
    arguments=NoArguments,
    annotations=READS,
    undone="The links cannot be listed",
    run=list_links,
)
