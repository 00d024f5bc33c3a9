"""Messages: what is sent, what is listed, what is read."""

from typing import Annotated

from msgspec import Meta

from messenger_core import limits
from messenger_core.wire.common import (
    Address,
    Body,
    CorrelationId,
    FolderName,
    Identifier,
    MessageType,
    Offset,
    PageLimit,
    Party,
    Priority,
    Request,
    Response,
    Role,
    SearchText,
    Seq,
    Subject,
    ThreadTitle,
)


class AttachmentContent(Request, frozen=True, kw_only=True):
    """A file inside a JSON send."""

    filename: Annotated[str, Meta(min_length=1, max_length=4096)]
    """Everything up to the last `/` or `\\` is dropped."""
    content_base64: str
    mime_type: Annotated[str, Meta(min_length=1, max_length=limits.MIME_TYPE_MAX_CHARS)] | None = (
        None
    )


class SendMessage(Request, frozen=True, kw_only=True, omit_defaults=True):
    """A draft: a message that is not accepted yet."""

    body: Body
    to: Address | list[Address] | None = None
    """One address, or a list of one; absent in a reply: the other correspondent."""
    subject: Subject | None = None
    """Absent in a reply: `Re: …` of the original."""
    priority: Priority = "normal"
    reply_to: Identifier | None = None
    """A message of the caller's mailbox."""
    thread_id: Identifier | None = None
    thread_name: ThreadTitle | None = None
    """Names the thread."""
    attachments: list[AttachmentContent] = []
    type: MessageType = "message"
    correlation_id: CorrelationId | None = None


class Attachment(Response, frozen=True, kw_only=True):
    """A file of a message, without its bytes."""

    id: str
    filename: str
    mime_type: str
    size: int
    """Bytes."""
    sha256: str


class MessageSummary(Response, frozen=True, kw_only=True, rename={"from_": "from"}):
    """One mailbox's copy of a message, without its body."""

    id: str
    seq: int
    thread_id: str
    thread_title: str
    """The subject of the opening message until the thread is named."""
    from_: Party
    to: Party
    subject: str
    preview: str
    """One plain line of at most 200 characters."""
    priority: Priority
    folder: str
    role: Role
    announced_at: str | None
    """When a watcher was first told; `null`: not yet."""
    read_at: str | None
    flagged: bool
    has_attachments: bool
    reply_to: str | None
    created_at: str


class MessageDetail(MessageSummary, frozen=True, kw_only=True, rename={"from_": "from"}):
    """One mailbox's copy of a message, whole."""

    body: str
    attachments: list[Attachment]
    recipient_announced_at: str | None
    recipient_read_at: str | None
    type: MessageType
    correlation_id: str | None
    to_name: str | None
    """The name that a relayed message was written to."""


class SentMessage(MessageDetail, frozen=True, kw_only=True, rename={"from_": "from"}):
    """The answer to a send."""

    recipient_never_connected: bool
    recipient_watcher_armed: bool


class MessageQuery(
    Request, frozen=True, kw_only=True, omit_defaults=True, rename={"from_": "from"}
):
    """Which messages of the caller's mailbox are wanted."""

    folder: FolderName = "inbox"
    """`all`: every folder but the trash."""
    unread_only: bool = False
    from_: Address | None = None
    thread_id: Identifier | None = None
    search: SearchText | None = None
    limit: PageLimit = limits.PAGE_DEFAULT_ROWS
    offset: Offset = 0
    before: Seq | None = None
    """Only what is older than this `seq`."""


class MessagePage(Response, frozen=True, kw_only=True):
    """A page of messages, newest first."""

    messages: list[MessageSummary]
    total: int
    total_capped: bool
    """There are at least `total` matches."""
    next: int | None
    """The `before` of the following page."""


class ReadQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """How a message is read."""

    mark_read: bool = True


MessageIds = Annotated[list[Identifier], Meta(min_length=1, max_length=limits.IDS_MAX_COUNT)]


class MarkMessages(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which messages of the caller's mailbox get which marks; an absent mark stays."""

    ids: MessageIds
    read: bool | None = None
    flagged: bool | None = None


class MoveMessages(Request, frozen=True, kw_only=True):
    """Which messages of the caller's mailbox go to which folder."""

    ids: MessageIds
    folder: FolderName


class DeleteMessages(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which messages of the caller's mailbox go to the trash."""

    ids: MessageIds
    permanent: bool = False
    """They are destroyed at once, as is what already lies in the trash."""


class Changed(Response, frozen=True, kw_only=True):
    """What a mark, a move or a deletion found."""

    changed: list[str]
    """Every id found in the caller's mailbox, also when nothing had to change."""
    unknown: list[str]
