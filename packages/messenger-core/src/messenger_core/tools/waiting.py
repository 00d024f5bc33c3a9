"""The tool that waits: the next message that arrives after the call."""

import asyncio
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core.errors import MessengerError, RateLimited
from messenger_core.mail import MailAway
from messenger_core.tools.forms import check_address, check_thread_id
from messenger_core.tools.lines import counted, message_line, seconds_words, when, who
from messenger_core.tools.tool import READS, Tool, ToolCall
from messenger_core.wire.common import Request
from messenger_core.wire.messages import MessagePage, MessageQuery, MessageSummary
from messenger_core.wire.wait import WaitQuery, WaitResult

_DEFAULT_SECONDS = 60
_MAX_SECONDS = 300
_PROGRESS_SECONDS = 15
_EMPTY_WAIT_SECONDS = 1.0
"""A server that ends waits at once is not asked again faster than this."""
_AWAY_MIN_SECONDS = 0.5
_AWAY_MAX_SECONDS = 15.0


class WaitForMessage(Request, frozen=True, kw_only=True, rename={"from_": "from"}):
    """How long to wait, and for what."""

    timeout_seconds: Annotated[
        float, Meta(ge=0, le=_MAX_SECONDS, description="How long at most.")
    ] = _DEFAULT_SECONDS
    from_: Annotated[str | UnsetType, Meta(description="Mailbox address.")] = UNSET
    thread_id: Annotated[str | UnsetType, Meta(description="thr_…")] = UNSET

    def wants(self, message: MessageSummary) -> bool:
        """Whether the message is one that is waited for."""
        return (not self.from_ or message.from_.id == self.from_) and (
            not self.thread_id or message.thread_id == self.thread_id
        )


async def wait_for_message(call: ToolCall, arguments: WaitForMessage) -> str:
    """The next message that arrives, or that none came."""
    check_address("from", arguments.from_)
    check_thread_id("thread_id", arguments.thread_id)
    clock = asyncio.get_running_loop().time
    begun = clock()
    total = arguments.timeout_seconds
    cursor: int | None = None
    others = 0
    outage = _Outage()
    while True:
        left = max(total - (clock() - begun), 0.0)
        try:
            # The place comes first: what arrives while the server is away is then found later.
            result = await _one_wait(call, cursor, 0.0 if cursor is None else left)
        except (MailAway, MessengerError) as error:
            if cursor is None:
                raise
            await asyncio.sleep(min(outage.pause_seconds(error), left))
            if clock() - begun >= total:
                return _nothing(arguments, [outage.words(), *_aside(others)])
            continue
        outage.is_over()
        # The next wait goes on where this one ended: nothing falls between two of them.
        cursor = result.cursor
        wanted = [message for message in result.messages if arguments.wants(message)]
        others += len(result.messages) - len(wanted)
        if wanted:
            return _arrived(wanted, others)
        waited = clock() - begun
        if waited >= total:
            already = await _already_there(call, arguments)
            return _nothing(arguments, already or _aside(others))
        await call.report_progress(waited, total, "no message yet")


class _Outage:
    """A server that was there when the wait began and does not answer now."""

    def __init__(self) -> None:
        self._tries = 0
        self._cause = ""

    def pause_seconds(self, error: MailAway | MessengerError) -> float:
        """How long to leave the server alone; raises the error when it will not pass."""
        if isinstance(error, MessengerError) and not (
            isinstance(error, RateLimited) or error.status >= 500
        ):
            raise error
        self._cause = str(error)
        pause = min(_AWAY_MAX_SECONDS, _AWAY_MIN_SECONDS * 2.0**self._tries)
        self._tries = min(self._tries + 1, 16)
        return max(pause, float(error.retry_after_seconds or 0))

    def is_over(self) -> None:
        """An answer came."""
        self._tries = 0

    def words(self) -> str:
        """That nobody knows what arrived."""
        return (
            "The server was away at the end of the wait, so a message may have arrived unseen: "
            f"look with list_messages once it answers. {self._cause}"
        )


async def _one_wait(call: ToolCall, cursor: int | None, left_seconds: float) -> WaitResult:
    clock = asyncio.get_running_loop().time
    begun = clock()
    seconds = min(left_seconds, _PROGRESS_SECONDS)
    result = await call.mail.wait(WaitQuery(timeout_seconds=seconds, after=cursor))
    if not result.messages:
        early = min(_EMPTY_WAIT_SECONDS, seconds) - (clock() - begun)
        await asyncio.sleep(max(early, 0.0))
    return result


def _arrived(messages: list[MessageSummary], others: int) -> str:
    head = f"{counted(len(messages), 'message')} arrived. Next: read_message with its id."
    return "\n".join([head, *map(message_line, messages), *_aside(others)])


def _nothing(arguments: WaitForMessage, more: list[str]) -> str:
    wanted = "No such message" if arguments.from_ or arguments.thread_id else "No message"
    text = (
        f"{wanted} arrived within {seconds_words(arguments.timeout_seconds)}. Wait again, or go "
        "on with something else: what arrives later stays in the inbox."
    )
    return "\n".join([text, *more])


async def _already_there(call: ToolCall, arguments: WaitForMessage) -> list[str]:
    """The unread mail that came before the wait: first what is waited for, else any."""
    wanted = MessageQuery(
        unread_only=True,
        from_=arguments.from_ or None,
        thread_id=arguments.thread_id or None,
        limit=1,
    )
    try:
        page = await call.mail.list_messages(wanted)
        if page.messages or not (wanted.from_ or wanted.thread_id):
            return _unread(page, wanted)
        anything = MessageQuery(unread_only=True, limit=1)
        return _unread(await call.mail.list_messages(anything), anything)
    except (MailAway, MessengerError):
        return []  # the wait has its answer; this is only a hint


def _unread(page: MessagePage, query: MessageQuery) -> list[str]:
    if not page.messages:
        return []
    newest = page.messages[0]
    same = [
        name
        for name, value in (("from", query.from_), ("thread_id", query.thread_id))
        if value is not None
    ]
    narrowed = f" and the same {' and '.join(same)}" if same else ""
    total = counted(
        page.total,
        "matching unread message" if same else "unread message",
        at_least=page.total_capped,
    )
    return [
        f"{total} {'is' if page.total == 1 else 'are'} already in your inbox (newest: {newest.id} "
        f"from {who(newest.from_)}, {when(newest.created_at)}): list_messages with unread_only"
        f"{narrowed}."
    ]


def _aside(others: int) -> list[str]:
    if not others:
        return []
    return [f"Meanwhile {counted(others, 'other message')} arrived: list_messages shows them."]


WAIT_FOR_MESSAGE = Tool(
    name="wait_for_message",
    title="Wait for message",
    description=(
        "Wait for the next message that arrives after the call; unread mail already there does not "
        "end it."
    ),
    arguments=WaitForMessage,
    annotations=READS,
    undone="The wait ended without an answer",
    run=wait_for_message,
)
