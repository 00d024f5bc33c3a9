"""The tool that waits: the next message that arrives after the call."""

import asyncio
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core.tools.lines import counted, message_line
from messenger_core.tools.tool import READS, Tool, ToolCall
from messenger_core.wire.common import Request
from messenger_core.wire.messages import MessageSummary
from messenger_core.wire.wait import WaitQuery, WaitResult

_DEFAULT_SECONDS = 60
_MAX_SECONDS = 300
_PROGRESS_SECONDS = 15
_EMPTY_WAIT_SECONDS = 1.0
"""A server that ends waits at once is not asked again faster than this."""


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
    clock = asyncio.get_running_loop().time
    begun = clock()
    total = arguments.timeout_seconds
    cursor: int | None = None
    others = 0
    while True:
        left = max(total - (clock() - begun), 0.0)
        result = await _one_wait(call, cursor, left)
        # The next wait goes on where this one ended: nothing falls between two of them.
        cursor = result.cursor
        wanted = [message for message in result.messages if arguments.wants(message)]
        others += len(result.messages) - len(wanted)
        if wanted:
            return _arrived(wanted, others)
        waited = clock() - begun
        if waited >= total:
            return _nothing(arguments, others)
        await call.report_progress(waited, total, "no message yet")


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


def _nothing(arguments: WaitForMessage, others: int) -> str:
    wanted = "No such message" if arguments.from_ or arguments.thread_id else "No message"
    text = (
        f"{wanted} arrived within {arguments.timeout_seconds:g} seconds. Wait again, or go on with "
        "something else: what arrives later stays in the inbox."
    )
    return "\n".join([text, *_aside(others)])


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
