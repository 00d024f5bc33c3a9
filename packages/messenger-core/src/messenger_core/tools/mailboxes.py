"""Tools about mailboxes: one's own, its names, and the directory of the others."""

from datetime import datetime, timedelta
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core import limits
from messenger_core.times import parse_rfc3339
from messenger_core.tools.arguments import PageOffset
from messenger_core.tools.lines import (
    NAMES_REMINDER,
    SEPARATOR,
    counted,
    quoted,
    shown_name,
    when,
    who,
)
from messenger_core.tools.plain import is_blank, one_line
from messenger_core.tools.tool import CHANGES, READS, OfferedMailbox, Tool, ToolCall
from messenger_core.wire.common import (
    Description,
    DisplayName,
    Mailbox,
    PageLimit,
    Request,
)
from messenger_core.wire.links import Link
from messenger_core.wire.mailboxes import (
    AgentGroup,
    Directory,
    DirectoryQuery,
    KeyFacts,
    MailboxStatus,
    RenameMailbox,
    WatcherState,
)

NEW_ADDRESS = (
    "This address is new. If you wrote from another one before, your correspondents still write to "
    "that one."
)
_EXPIRY_WARNING = timedelta(days=7)
_LINKS_SHOWN = 20
_GROUPS_DEFAULT = 20


class NoArguments(Request, frozen=True, kw_only=True):
    """A tool that takes nothing."""


class ListAgents(Request, frozen=True, kw_only=True):
    """Which part of the directory is wanted."""

    agent_name: Annotated[str | UnsetType, Meta(description="All of one agent.")] = UNSET
    search: Annotated[str | UnsetType, Meta(description="Words to find.")] = UNSET
    limit: Annotated[PageLimit, Meta(description="Page size.")] = _GROUPS_DEFAULT
    offset: Annotated[PageOffset, Meta(description="How many to skip.")] = 0


class RenameOwnMailbox(Request, frozen=True, kw_only=True):
    """The new names of one's own mailbox."""

    name: Annotated[DisplayName, Meta(description="Empty clears it.")]
    description: Annotated[Description | UnsetType, Meta(description="Empty clears it.")] = UNSET


async def whoami(call: ToolCall, _: NoArguments) -> str:
    """One's own mailbox, its address first."""
    status = await call.mail.status()
    mailbox = status.mailbox
    lines = [
        *_addresses(mailbox.id, call),
        *([NEW_ADDRESS] if call.address_is_new else []),
        f"Name: {_named(mailbox.display_name, mailbox.description, 'none yet (rename_mailbox)')}",
        f"Agent: {_named(mailbox.agent_name, mailbox.agent_description, 'none')}",
        NAMES_REMINDER,
        f"Server: {call.server_url}",
        f"API key: {_key(status.key, call.now)}",
        notification_line(status.watcher),
        f"Folders: {_folders(status)}",
        *_links(status.links),
        *(_offers(await call.offers()) if call.address_is_new else []),
    ]
    return "\n".join(lines)


async def list_agents(call: ToolCall, arguments: ListAgents) -> str:
    """The directory, grouped by agent."""
    query = DirectoryQuery(
        agent_name=arguments.agent_name or None,
        search=arguments.search or None,
        limit=arguments.limit,
        offset=arguments.offset,
    )
    directory = await call.mail.directory(query)
    lines = [line for group in directory.agents for line in _group(group, query)]
    return "\n".join([_directory_head(directory, query), *lines, NAMES_REMINDER])


async def rename_mailbox(call: ToolCall, arguments: RenameOwnMailbox) -> str:
    """Names one's own mailbox."""
    name = "" if is_blank(arguments.name) else arguments.name
    mailbox = await call.mail.rename_mailbox(
        RenameMailbox(display_name=name, description=arguments.description)
    )
    return f"Mailbox {mailbox.id} is now named: " + _named(
        mailbox.display_name, mailbox.description, "nothing (shown by its agent or its address)"
    )


def notification_line(watcher: WatcherState) -> str:
    """Whether incoming messages interrupt the agent."""
    if watcher.armed:
        return (
            "Notifications: armed — incoming messages will interrupt you "
            f"(watcher since {watcher.since})."
        )
    return (
        "Notifications: NOT armed — no incoming message will reach you. Call enable_notifications."
    )


def unread_line(status: MailboxStatus) -> str:
    """How much unread mail waits in the inbox."""
    unread = sum(folder.unread for folder in status.folders if folder.name == "inbox")
    if not unread:
        return "No unread mail is there now."
    return f"Already there: {counted(unread, 'unread message')} (list_messages)."


def _addresses(worked: str, call: ToolCall) -> list[str]:
    """One's own address first; then the mailbox that is worked instead of it."""
    if not call.is_attached:
        return [f"Address: {worked}"]
    return [
        f"Address: {call.own_address} (your own)" if call.own_address else "Address: none yet",
        f"Attached to: {worked}. You read its mail, what you send comes from it, and all below is "
        "of it. attach_to_mailbox without `address` goes back to your own.",
    ]


def _named(name: str | None, description: str | None, absent: str) -> str:
    shown = shown_name(name) or absent
    about = one_line(description or "", limits.DESCRIPTION_MAX_CHARS)
    return f"{shown} — {about}" if about else shown


def _key(key: KeyFacts, now: datetime) -> str:
    name = one_line(key.name, limits.KEY_NAME_MAX_CHARS)
    if key.expires_at is None:
        return name
    left = parse_rfc3339(key.expires_at) - now
    if left >= _EXPIRY_WARNING:
        return name
    hours = max(left // timedelta(hours=1), 0)
    span = counted(left.days, "day") if left.days > 1 else counted(hours, "hour")
    return f"{name}, expires in {span} ({when(key.expires_at)}): ask the person to extend it"


def _folders(status: MailboxStatus) -> str:
    return ", ".join(
        f"{one_line(folder.name, limits.FOLDER_NAME_MAX_CHARS)} {folder.total:,}"
        + (f" ({folder.unread:,} unread)" if folder.unread else "")
        for folder in status.folders
    )


def _links(links: list[Link]) -> list[str]:
    if not links:
        return ["Linked mailboxes: none"]
    more = len(links) - _LINKS_SHOWN
    return [
        "Linked mailboxes (the person linked you to them):",
        *(
            f"- {who(link.mailbox)}" + (f" — {quoted(link.note, 1000)}" if link.note else "")
            for link in links[:_LINKS_SHOWN]
        ),
        *([f"- and {more} more (list_agents says “linked to you”)"] if more > 0 else []),
    ]


def _offers(offers: list[OfferedMailbox]) -> list[str]:
    if not offers:
        return []
    return [
        "Mailboxes of earlier sessions of this project, which no session works now "
        "(attach_to_mailbox, for one that you know to be yours):",
        *(f"- {_offer(offer)}" for offer in offers),
    ]


def _offer(offer: OfferedMailbox) -> str:
    name = shown_name(offer.display_name)
    parts = [
        offer.address,
        quoted(name) if name else "no name",
        f"{counted(offer.messages, 'message')}, {offer.unread:,} unread",
    ]
    return SEPARATOR.join(parts)


def _directory_head(directory: Directory, query: DirectoryQuery) -> str:
    shown = (
        sum(len(group.mailboxes) for group in directory.agents)
        if query.agent_name
        else len(directory.agents)
    )
    noun = "mailbox" if query.agent_name else "agent"
    if not directory.total:
        return _nobody(query)
    if not shown:
        return f"Nothing from offset {query.offset} on: there are {counted(directory.total, noun)}."
    head = f"{counted(directory.total, noun)}, latest activity first"
    last = query.offset + shown
    if query.offset or last < directory.total:
        head += f"; shown: {query.offset + 1} to {last}"
    if last < directory.total:
        head += f"; the rest: same call with offset {last}"
    return head + "."


def _nobody(query: DirectoryQuery) -> str:
    named = f" of an agent called {quoted(query.agent_name)}" if query.agent_name else ""
    if query.search:
        return (
            f"No other mailbox{named} matches {quoted(query.search)}. Search with fewer words, or "
            "call list_agents without search for everybody."
        )
    if query.agent_name:
        return (
            f"There is no other mailbox{named}. Call list_agents without agent_name for every "
            "agent, or with search for a part of a name."
        )
    return "There is no other mailbox yet."


def _group(group: AgentGroup, query: DirectoryQuery) -> list[str]:
    lines = [f"  {_card(mailbox)}" for mailbox in group.mailboxes]
    if group.agent_name is None:
        return [f"No agent name:{line[1:]}" for line in lines]
    about = f" — {quoted(group.agent_description, 300)}" if group.agent_description else ""
    heading = f"Agent {quoted(group.agent_name)}{about}: {counted(group.mailbox_count, 'mailbox')}"
    hidden = group.mailbox_count - len(group.mailboxes)
    if hidden > 0 and not query.agent_name:
        lines.append(f"  and {hidden} more: list_agents with this agent_name")
    return [heading, *lines]


def _card(mailbox: Mailbox) -> str:
    name = shown_name(mailbox.display_name)
    parts = [
        mailbox.id,
        *([quoted(name)] if name else []),
        *([quoted(mailbox.description, 300)] if mailbox.description else []),
        _activity(mailbox),
        *(["linked to you"] if mailbox.linked else []),
    ]
    return SEPARATOR.join(parts)


def _activity(mailbox: Mailbox) -> str:
    if mailbox.last_seen_at is None:
        return "never connected"
    if mailbox.last_activity_at is None:
        return f"no mail yet, seen {when(mailbox.last_seen_at)}"
    return f"last active {when(mailbox.last_activity_at)}"


WHOAMI = Tool(
    name="whoami",
    title="Who am I",
    description=(
        "Your own address, names, unread counts, links, and whether notifications are armed. "
        "Call it first."
    ),
    arguments=NoArguments,
    annotations=READS,
    undone="Your mailbox cannot be shown",
    run=whoami,
    always_load=True,
)

LIST_AGENTS = Tool(
    name="list_agents",
    title="Directory",
    description=("Find whom to write to: every other mailbox address, grouped by agent."),
    arguments=ListAgents,
    annotations=READS,
    undone="The directory cannot be shown",
    run=list_agents,
)

RENAME_MAILBOX = Tool(
    name="rename_mailbox",
    title="Name mailbox",
    description=("Name your mailbox (never the agent) after what this session is busy with."),
    arguments=RenameOwnMailbox,
    annotations=CHANGES,
    undone="The mailbox was not renamed",
    run=rename_mailbox,
)
