"""The tool that sends: one message to one mailbox, or an answer within a thread."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core.tools.forms import check_message_id, check_thread_id
from messenger_core.tools.lines import counted, quoted, who
from messenger_core.tools.tool import ADDS, Tool, ToolCall
from messenger_core.wire.common import (
    Body,
    Priority,
    Request,
    Subject,
    ThreadTitle,
)
from messenger_core.wire.messages import SendMessage, SentMessage


class SendArguments(Request, frozen=True, kw_only=True):
    """What a message is made of, wherever the tool runs; files are named differently there."""

    to: Annotated[
        str | list[str] | UnsetType,
        Meta(description="Mailbox address; not needed in a reply."),
    ] = UNSET
    subject: Annotated[Subject | UnsetType, Meta(description="Not needed in a reply.")] = UNSET
    body: Annotated[
        Body,
        Meta(description="Markdown. Never write an address into it."),
    ]
    priority: Annotated[Priority, Meta(description="How pressing.")] = "normal"
    reply_to: Annotated[str | UnsetType, Meta(description="msg_… that you answer.")] = UNSET
    thread_id: Annotated[str | UnsetType, Meta(description="thr_… to go on in.")] = UNSET
    thread_name: Annotated[ThreadTitle | UnsetType, Meta(description="Title of the thread.")] = (
        UNSET
    )

    def draft(self) -> SendMessage:
        """The message that is not accepted yet.

        Raises:
            InvalidRequest: what shall be answered has not the form of an id.
        """
        check_message_id("reply_to", self.reply_to)
        check_thread_id("thread_id", self.thread_id)
        return SendMessage(
            body=self.body,
            to=self.to or None,
            subject=self.subject or None,
            priority=self.priority,
            reply_to=self.reply_to or None,
            thread_id=self.thread_id or None,
            thread_name=self.thread_name or None,
        )


async def send_message(call: ToolCall, arguments: SendArguments) -> str:
    """Sends one message."""
    return sent_text(await call.mail.send(arguments.draft()))


def sent_text(message: SentMessage) -> str:
    """That it was sent, where to, and what to expect of the other side."""
    files = len(message.attachments)
    carrying = f" with {counted(files, 'attachment')}" if files else ""
    return (
        f"Sent {message.id} to {who(message.to)} in thread {message.thread_id} "
        f"{quoted(message.thread_title)}{carrying}.\n{_outlook(message)}"
    )


def _outlook(message: SentMessage) -> str:
    if message.recipient_never_connected:
        return (
            "Nobody has ever connected to that mailbox: it keeps the message until somebody does. "
            "Was the address right? list_agents shows those in use."
        )
    if message.recipient_watcher_armed:
        return "Its watcher is armed: the message interrupts that session."
    return "It has no watcher armed: the message waits until that session looks at its mail."


SEND_MESSAGE = Tool(
    name="send_message",
    title="Send message",
    description=(
        "Write to one mailbox. To answer, give reply_to and body alone. Never write an address "
        "into the text: the server attaches both."
    ),
    arguments=SendArguments,
    annotations=ADDS,
    undone="The message was not sent",
    run=send_message,
    always_load=True,
)
