"""What the shapes of every noun share: their bases, the text types, mailbox cards and problems."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from messenger_core import limits
from messenger_core.blank import is_blank

Priority = Literal["low", "normal", "high", "urgent"]
PRIORITIES: tuple[Priority, ...] = ("low", "normal", "high", "urgent")
"""From the least to the most pressing: the position is the number that the base keeps."""

MessageType = Literal["message", "request", "reply", "ack"]
Role = Literal["sender", "recipient"]

SYSTEM_FOLDERS: tuple[str, ...] = ("inbox", "sent", "archive", "trash")

Address = Annotated[
    str,
    Meta(min_length=1, max_length=limits.RECIPIENT_MAX_CHARS, description="A mailbox address."),
]
AgentName = Annotated[str, Meta(max_length=limits.AGENT_NAME_MAX_CHARS)]
DisplayName = Annotated[str, Meta(max_length=limits.DISPLAY_NAME_MAX_CHARS)]
Description = Annotated[str, Meta(max_length=limits.DESCRIPTION_MAX_CHARS)]
Subject = Annotated[str, Meta(min_length=1, max_length=limits.SUBJECT_MAX_CHARS)]
Body = Annotated[str, Meta(min_length=1, max_length=limits.BODY_MAX_CHARS)]
ThreadTitle = Annotated[str, Meta(max_length=limits.THREAD_TITLE_MAX_CHARS)]
SearchText = Annotated[str, Meta(min_length=1, max_length=limits.SEARCH_MAX_CHARS)]
CorrelationId = Annotated[str, Meta(min_length=1, max_length=limits.CORRELATION_ID_MAX_CHARS)]
FolderName = Annotated[str, Meta(min_length=1, max_length=limits.FOLDER_NAME_MAX_CHARS)]
Identifier = Annotated[str, Meta(min_length=1, max_length=limits.RECIPIENT_MAX_CHARS)]
"""The id of a message, a thread or the like: what is not known is not there, whatever its form."""

PageLimit = Annotated[int, Meta(ge=1, le=limits.PAGE_MAX_ROWS)]
Offset = Annotated[int, Meta(ge=0, le=2**53)]
Seq = Annotated[int, Meta(ge=0, le=2**53)]
"""A number of the server's one series, increasing in commit order."""


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every request body and query: unknown fields are refused, and NUL in any text."""

    def __post_init__(self) -> None:
        """Refuses text that the databases cannot keep.

        Raises:
            ValueError: a text holds NUL or a lone surrogate; the decoder turns it into its own
                error.
        """
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, str):
                refuse_unstorable(name, value)
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, str):
                        refuse_unstorable(name, item)


def refuse_unstorable(name: str, text: str) -> None:
    """Refuses a text with NUL or a lone surrogate.

    Raises:
        ValueError: names the field and the character.
    """
    if "\x00" in text:
        raise ValueError(f"`{name}` holds a NUL character (U+0000): remove it")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"`{name}` holds half of a surrogate pair: remove it") from None


def refuse_blank(name: str, text: str) -> None:
    """Refuses a text of which nothing can be seen, where something must be.

    Raises:
        ValueError: names the field.
    """
    if is_blank(text):
        raise ValueError(f"`{name}` must show more than blanks and invisible characters")


class Response(Struct, frozen=True, kw_only=True):
    """Base of every answer: a reader ignores the fields that a newer server adds."""


class Party(Response, frozen=True, kw_only=True):
    """One side of a message or thread, by its names."""

    id: str
    """The mailbox address."""
    agent_name: str | None
    display_name: str | None
    deleted: bool
    """The mailbox is gone; these are its last known names."""


class Mailbox(Response, frozen=True, kw_only=True):
    """A mailbox as the directory shows it."""

    id: str
    """Its address."""
    agent_name: str | None
    agent_description: str | None
    display_name: str | None
    description: str | None
    created_at: str
    last_seen_at: str | None
    """`null`: it never connected."""
    last_activity_at: str | None
    """The last send or receive; `null`: nothing ever passed."""
    linked: bool
    """It is linked to the caller's mailbox."""


class Fault(Response, frozen=True, kw_only=True):
    """One fault of a request that is not valid."""

    field: str
    message: str


class Problem(Response, frozen=True, kw_only=True):
    """Problem details of a refusal (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: list[Fault] | UnsetType = UNSET
    """There only for a request that is not valid."""
    request_id: str | UnsetType = UNSET
    """There only for a failure inside the server: the cause is in its log under this id."""
    retry_after_seconds: int | UnsetType = UNSET
    """There only for too many tries of a sign-in."""
