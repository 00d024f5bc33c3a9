"""Sends as `multipart/form-data`: a part `message` with the JSON, and one part for each file."""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

from multipart import (  # type: ignore[import-untyped]  # it carries no types
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from messenger_core.errors import BodyTooLarge, FieldError, InvalidRequest
from messenger_core.limits import MEGABYTE
from messenger_core.wire.messages import SendMessage
from messenger_server.api.decoding import decode_body, invalid
from messenger_server.api.staging import Staging

MEDIA_TYPE: Final = b"multipart/form-data"

_MESSAGE: Final = "message"
_MESSAGE_MAX_BYTES: Final = 4 * MEGABYTE
"""The longest body, every character of it escaped, has three."""
_BOUNDARY: Final = re.compile(r"[ -~]{1,70}")
_PART_HEADERS_MAX: Final = 16
_AS_IT_IS: Final = frozenset({"binary", "8bit", "7bit"})


async def read_multipart(
    pieces: AsyncIterator[bytes], content_type: bytes, staging: Staging
) -> SendMessage:
    """The message of a multipart body; its files go to the staging. Its parts come in any order.

    Raises:
        InvalidRequest: the body is no such thing, the message is none, or a part is neither the
            message nor a file.
        BodyTooLarge: the message, a file or the number of files passes its limit.
    """
    parts = _Parts(staging)
    parser = PushMultipartParser(_boundary(content_type), max_header_count=_PART_HEADERS_MAX)
    async for piece in pieces:
        for event in _events(parser, piece):
            if isinstance(event, MultipartSegment):
                parts.begin(event.name, event.filename, _headers(event))
            elif event is not None:
                await parts.write(event)
    try:
        parser.close()
    except MultipartError:
        raise _malformed("it ends before its last boundary") from None
    return parts.message()


class _Parts:
    """What the parts are for, one after the other."""

    def __init__(self, staging: Staging) -> None:
        self._staging = staging
        self._message: bytearray | None = None
        self._is_in_message = False

    def begin(self, name: str, filename: str | None, headers: dict[str, str]) -> None:
        """Begins the next part."""
        self._is_in_message = name == _MESSAGE
        if self._is_in_message:
            if self._message is not None:
                raise invalid(_MESSAGE, "comes twice: a body holds one message")
            self._message = bytearray()
            return
        if filename is None:
            raise invalid(
                name or "part",
                "is neither the part `message` nor a file: give a file part a `filename`, and put"
                " every field of the message into the JSON of the part `message`",
            )
        place = self._staging.begin(filename, headers.get("Content-Type") or None)
        encoding = headers.get("Content-Transfer-Encoding", "binary").strip().lower()
        if encoding not in _AS_IT_IS:
            raise invalid(place, f"comes encoded as {encoding[:40]!r}: send its bytes as they are")

    async def write(self, piece: bytes) -> None:
        """Adds to the part that was begun last."""
        if not self._is_in_message:
            await self._staging.write(piece)
            return
        assert self._message is not None, "the part was begun"
        self._message += piece
        if len(self._message) > _MESSAGE_MAX_BYTES:
            limit_mb = _MESSAGE_MAX_BYTES // MEGABYTE
            raise BodyTooLarge(f"The part `message` may have {limit_mb} MB: files have their own.")

    def message(self) -> SendMessage:
        """The message, once all parts are there."""
        if self._message is None:
            raise invalid(_MESSAGE, "is required: a part of that name with the message as JSON")
        message = decode_body(bytes(self._message), SendMessage)
        if message.attachments:
            raise invalid(
                "attachments", "must not be inside the part `message`: each file is a part"
            )
        return message


def _events(parser: PushMultipartParser, piece: bytes) -> Iterator[Any]:  # Any: the parser's own
    try:
        yield from parser.parse(piece)
    except MultipartError as error:
        raise _malformed(str(error)) from None


def _headers(part: MultipartSegment) -> dict[str, str]:
    """The headers of a part, by their names in title case; of several the first."""
    return dict(reversed(part.headerlist))


def _boundary(content_type: bytes) -> str:
    """The boundary that the request declares.

    Raises:
        InvalidRequest: it declares none, or one that is not allowed (RFC 2046 §5.1.1).
    """
    _, options = parse_options_header(content_type.decode("latin-1"))
    boundary = options.get("boundary", "")
    if not _BOUNDARY.fullmatch(boundary):
        raise invalid(
            "Content-Type", "must name the boundary of multipart/form-data, 1 to 70 characters"
        )
    return str(boundary)


def _malformed(complaint: str) -> InvalidRequest:
    message = f"is not valid multipart/form-data: {complaint}"
    return InvalidRequest(f"The body {message}.", errors=[FieldError("body", message)])
