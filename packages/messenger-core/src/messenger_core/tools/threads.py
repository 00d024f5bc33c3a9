"""Tools about threads: the map of conversations, one conversation, its title."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core.tools.arguments import PageOffset, RequiredId
from messenger_core.tools.fence import fenced
from messenger_core.tools.forms import check_address, check_thread_id
from messenger_core.tools.lines import SEPARATOR, counted, quoted, state_words, when, who
from messenger_core.tools.plain import is_blank
from messenger_core.tools.tool import CHANGES, READS, Tool, ToolCall
from messenger_core.wire.common import (
    Description,
    PageLimit,
    Request,
    ThreadTitle,
)
from messenger_core.wire.messages import MessageDetail, MessageSummary
from messenger_core.wire.threads import (
    RenameThread,
    Thread,
    ThreadDetail,
    ThreadPage,
    ThreadQuery,
    ThreadReadQuery,
)

_PAGE_DEFAULT = 20
_PAGE_MAX_CHARS = 40_000
"""A part of a thread ends when its bodies pass this much: hosts cut what is far longer."""


class ListThreads(Request, frozen=True, kw_only=True):
    """Which threads are wanted."""

    with_mailbox: Annotated[str | UnsetType, Meta(description="Mailbox address.")] = UNSET
    unread_only: Annotated[bool, Meta(description="Only with unread mail.")] = False
    search: Annotated[str | UnsetType, Meta(description="Words to find; prefix*.")] = UNSET
    limit: Annotated[PageLimit, Meta(description="Page size.")] = _PAGE_DEFAULT
    offset: Annotated[PageOffset, Meta(description="How many to skip.")] = 0


class GetThread(Request, frozen=True, kw_only=True):
    """Which part of a thread is wanted."""

    thread_id: Annotated[RequiredId, Meta(description="thr_…")]
    limit: Annotated[PageLimit, Meta(description="Messages at most.")] = _PAGE_DEFAULT
    offset: Annotated[PageOffset, Meta(description="Newest ones to skip.")] = 0


class RenameThreadArguments(Request, frozen=True, kw_only=True):
    """The new names of a thread."""

    thread_id: Annotated[RequiredId, Meta(description="thr_…")]
    name: Annotated[ThreadTitle, Meta(description="Empty clears it.")]
    description: Annotated[Description | UnsetType, Meta(description="Empty clears it.")] = UNSET


async def list_threads(call: ToolCall, arguments: ListThreads) -> str:
    """A page of conversations, one line each."""
    check_address("with_mailbox", arguments.with_mailbox)
    query = ThreadQuery(
        with_mailbox=arguments.with_mailbox or None,
        unread_only=arguments.unread_only,
        search=arguments.search or None,
        limit=arguments.limit,
        offset=arguments.offset,
    )
    page = await call.mail.list_threads(query)
    return "\n".join([_page_head(page, query), *(_thread_line(t) for t in page.threads)])


async def get_thread(call: ToolCall, arguments: GetThread) -> str:
    """A part of a conversation with whole bodies, oldest first; the newest part unless asked."""
    check_thread_id("thread_id", arguments.thread_id)
    detail = await call.mail.get_thread(
        arguments.thread_id,
        ThreadReadQuery(limit=arguments.limit, offset=arguments.offset, newest_first=True),
    )
    # Offsets count from the newest message, so what arrives between two parts is shown twice
    # rather than never.
    newest_first = _within_budget(detail.messages)
    last = detail.total - arguments.offset
    shown = list(enumerate(reversed(newest_first), start=last - len(newest_first) + 1))
    blocks = [_block(number, detail.total, message) for number, message in shown]
    return "\n".join([*_thread_head(detail, arguments.offset, len(shown)), *blocks])


async def rename_thread(call: ToolCall, arguments: RenameThreadArguments) -> str:
    """Names a thread for both sides."""
    check_thread_id("thread_id", arguments.thread_id)
    cleared = is_blank(arguments.name)
    thread = await call.mail.rename_thread(
        arguments.thread_id,
        RenameThread(title="" if cleared else arguments.name, description=arguments.description),
    )
    about = f" — {quoted(thread.description, 1000)}" if thread.description else ""
    if cleared and is_blank(thread.title):
        return f"Thread {thread.id} has no title any more{about}, for both sides."
    if cleared:
        called = f"has lost its title and is called {quoted(thread.title)} again"
    else:
        called = f"is now called {quoted(thread.title)}"
    return f"Thread {thread.id} {called}{about}, for both sides."


def _page_head(page: ThreadPage, query: ThreadQuery) -> str:
    narrowed = any((query.with_mailbox, query.unread_only, query.search))
    noun = f"{'matching ' * narrowed}thread"
    total = counted(page.total, noun, at_least=page.total_capped)
    if not page.threads:
        if query.offset and page.total:
            return f"Nothing from offset {query.offset} on: there are {total}."
        return f"No {noun}."
    first, last = query.offset + 1, query.offset + len(page.threads)
    if page.next is not None:
        return (
            f"{total}, latest activity first; shown: {first} to {last}; the rest: same "
            f"call with offset {last}."
        )
    return f"{total}, latest activity first" + (
        f"; shown: {first} to {last}." if query.offset else ":"
    )


def _thread_line(thread: Thread) -> str:
    parts = [
        thread.id,
        quoted(thread.title),
        f"between {who(thread.participants[0])} and {who(thread.participants[1])}",
        counted(thread.message_count, "message"),
        *([f"{thread.unread_count} unread"] if thread.unread_count else []),
        *([f"{thread.priority} priority"] if thread.priority != "normal" else []),
        *_latest(thread.last_message),
        *([f"about {quoted(thread.description)}"] if thread.description else []),
    ]
    return "- " + SEPARATOR.join(parts)


def _latest(message: MessageSummary | None) -> list[str]:
    if message is None:
        return []
    sender = "you" if message.role == "sender" else who(message.from_)
    said = f" says {quoted(message.preview, 100)}" if message.preview else ""
    return [f"last {message.id} {when(message.created_at)} from {sender}{said}"]


def _within_budget(newest_first: list[MessageDetail]) -> list[MessageDetail]:
    """The first messages whose bodies fit together; at least one."""
    kept: list[MessageDetail] = []
    length = 0
    for message in newest_first:
        length += len(message.body)
        if kept and length > _PAGE_MAX_CHARS:
            break
        kept.append(message)
    return kept


def _thread_head(detail: ThreadDetail, offset: int, shown: int) -> list[str]:
    thread = detail.thread
    named = f" (named by {who(thread.named_by)})" if thread.named_by else ""
    lines = [
        f"Thread {thread.id} {quoted(thread.title)}{named}",
        f"Between {who(thread.participants[0])} and {who(thread.participants[1])}",
        *([f"About: {quoted(thread.description, 1000)}"] if thread.description else []),
    ]
    total = counted(detail.total, "message")
    if not shown:
        return [*lines, f"Nothing at offset {offset}: the thread has {total}."]
    last = detail.total - offset
    first = last - shown + 1
    if shown == detail.total:
        return [*lines, f"{total}, oldest first. Nothing is marked as read."]
    lines.append(f"{total}; shown: {first} to {last}, oldest first. Nothing is marked as read.")
    if first > 1:
        lines.append(f"Earlier ones: get_thread with this thread_id and offset {offset + shown}.")
    return lines


def _block(number: int, total: int, message: MessageDetail) -> str:
    sender = "you" if message.role == "sender" else who(message.from_)
    files = [
        f"attachment {attachment.id} {quoted(attachment.filename, 255)}"
        for attachment in message.attachments
    ]
    heading = SEPARATOR.join(
        [
            f"{number} of {total}",
            message.id,
            when(message.created_at),
            f"from {sender}",
            quoted(message.subject),
            *state_words(message),
            *files,
        ]
    )
    return f"\n{heading}\n{fenced(message.body)}"


LIST_THREADS = Tool(
    name="list_threads",
    title="List threads",
    description="Map of your conversations.",
    arguments=ListThreads,
    annotations=READS,
    undone="The threads cannot be listed",
    run=list_threads,
)

GET_THREAD = Tool(
    name="get_thread",
    title="Read thread",
    description=(
        "Whole bodies of a conversation, oldest first; a long one starts with its newest part. "
        "Marks nothing as read."
    ),
    arguments=GetThread,
    annotations=READS,
    undone="The thread cannot be shown",
    run=get_thread,
)

RENAME_THREAD = Tool(
    name="rename_thread",
    title="Name thread",
    description="Give a conversation a title that both sides see.",
    arguments=RenameThreadArguments,
    annotations=CHANGES,
    undone="The thread was not renamed",
    run=rename_thread,
)
