"""The body of a send: JSON with its files in base64, or multipart; the same comes out of both."""

from binascii import a2b_base64
from typing import Any, Final

from msgspec.structs import replace

from messenger_core.errors import UnsupportedMediaType
from messenger_core.wire.messages import AttachmentContent, SendMessage
from messenger_server.api.body import (
    JSON,
    media_type_of,
    read_pieces,
    read_whole,
    refuse_declared_size,
)
from messenger_server.api.call import Call
from messenger_server.api.decoding import decode_body, invalid
from messenger_server.api.multipart import MEDIA_TYPE as MULTIPART
from messenger_server.api.multipart import read_multipart
from messenger_server.api.staging import Staging

_SLICE_CHARS: Final = 256 * 1024
"""Of base64, decoded at once; whole groups of four."""


async def read_send(
    call: Call[Any, Any],  # Any: whatever the query of the route is
    limit_bytes: int,
    staging: Staging,
) -> SendMessage:
    """The message without its files, which go to the staging.

    Raises:
        UnsupportedMediaType: the body is declared as something else.
        BodyTooLarge: it, a file or the number of files passes its limit; the rest is not read.
        InvalidRequest: it is not what it says, or of another shape.
    """
    media_type = media_type_of(call.headers)
    if media_type not in (JSON, MULTIPART):
        raise UnsupportedMediaType(
            "The body must be JSON, or multipart/form-data with a part `message` and the files."
        )
    refuse_declared_size(call.headers, limit_bytes)
    if media_type == MULTIPART:
        content_type = call.headers[b"content-type"]
        return await read_multipart(read_pieces(call.receive, limit_bytes), content_type, staging)
    message = decode_body(await read_whole(call.receive, limit_bytes), SendMessage)
    if not message.attachments:
        return message
    attachments = message.attachments
    message = replace(message, attachments=[])
    await _stage(attachments, staging)
    return message


async def _stage(attachments: list[AttachmentContent], staging: Staging) -> None:
    """Empties the list into the staging: what is decoded need not stay in memory."""
    attachments.reverse()
    while attachments:
        given = attachments.pop()
        place = staging.begin(given.filename, given.mime_type)
        await _decode(given.content_base64, f"{place}.content_base64", staging)


async def _decode(text: str, field: str, staging: Staging) -> None:
    for begin in range(0, len(text), _SLICE_CHARS):
        part = text[begin : begin + _SLICE_CHARS]
        is_last = begin + len(part) == len(text)
        try:
            piece = a2b_base64(part, strict_mode=True)
        except ValueError:
            piece = None
        # Padding inside is no fault of the slice that it ends.
        if piece is None or not (is_last or len(piece) * 4 == len(part) * 3):
            raise invalid(field, "must be base64 (RFC 4648 §4), padded and on one line")
        await staging.write(piece)
