"""Attachments: the bytes of a file that came with a message."""

from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import quote

from messenger_core.errors import AttachmentNotFound
from messenger_core.limits import ATTACHMENT_CHUNK_BYTES, LARGE_BODY_BYTES
from messenger_server.api.call import Call, Download, NoQuery
from messenger_server.api.ranges import Span, is_known, wanted_span
from messenger_server.database import Database
from messenger_server.store.attachments import StoredAttachment, find_attachment, read_chunk

DOWNLOAD_HEADERS: Final = {
    "If-None-Match": "Entity tags: 304 when the client has the file already.",
    "Range": "One range of bytes.",
    "If-Range": "An entity tag: the range counts for this content alone.",
}
"""What a download reads, with what it means."""

_ATTR_CHARS: Final = "!#$&+-.^_`|~"
"""What RFC 8187 leaves as it is, besides letters and digits."""


async def download_attachment(call: Call[NoQuery, None]) -> Download:
    """The bytes of a file, all of them or one range."""
    database = call.services.database
    return await served(call, await database.read(find_attachment, call.mailbox_id, call.name))


async def served(call: Call[NoQuery, None], found: StoredAttachment) -> Download:
    """What a client gets that asks for a file which it may have."""
    etag = b'"%s"' % found.sha256.encode()
    if is_known(call.headers.get(b"if-none-match"), etag):
        call.window.give_back()
        return Download(304, ((b"etag", etag),))
    asked, if_range = call.headers.get(b"range"), call.headers.get(b"if-range")
    span = wanted_span(asked, if_range, etag, found.size_bytes)
    given = span or Span(0, found.size_bytes)
    pieces = _pieces(call.services.database, found, given)
    headers = [
        (b"content-type", found.mime_type.encode()),
        (b"content-length", b"%d" % (given.end - given.begin)),
        (b"content-disposition", disposition(found.filename)),
        (b"accept-ranges", b"bytes"),
        (b"etag", etag),
    ]
    if span is not None:
        where = b"bytes %d-%d/%d" % (span.begin, span.end - 1, found.size_bytes)
        headers.append((b"content-range", where))
    first = await anext(pieces, b"")  # here, where what is gone is still a refusal
    return Download(200 if span is None else 206, tuple(headers), _after(first, pieces))


def disposition(filename: str) -> bytes:
    """`Content-Disposition` for a file of any name: it is saved, never shown (RFC 6266).

    A name that a quoted string cannot carry as it is comes encoded too, after a plain one for
    clients that know no better.
    """
    plain = "".join(each if _is_plain(each) else "_" for each in filename)
    if plain == filename:
        return f'attachment; filename="{plain}"'.encode()
    encoded = quote(filename, safe=_ATTR_CHARS)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}".encode()


def _is_plain(char: str) -> bool:
    # Percent signs too: some clients decode them in a plain name.
    return " " <= char <= "~" and char not in '"\\%'


async def _after(first: bytes, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if first:
        yield first
    async for piece in pieces:
        yield piece


async def _pieces(database: Database, found: StoredAttachment, span: Span) -> AsyncIterator[bytes]:
    """The bytes of a span, a chunk at a time: none of them holds anybody up.

    Raises:
        AttachmentNotFound: the file is gone; where half of it is out, the connection breaks off.
    """
    read = database.read if found.size_bytes <= LARGE_BODY_BYTES else database.search
    position = span.begin
    while position < span.end:
        number, within = divmod(position, ATTACHMENT_CHUNK_BYTES)
        chunk = await read(read_chunk, found.id, number)
        if chunk is None:
            raise AttachmentNotFound("The attachment was deleted while it was read.")
        piece = chunk[within : within + span.end - position]
        position += len(piece)
        yield piece
