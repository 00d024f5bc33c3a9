"""Bodies of requests: read within their limit, whole or in pieces."""

from collections.abc import AsyncIterator, Mapping
from typing import Final

from litestar.types import Receive

from messenger_core.errors import BodyTooLarge, UnsupportedMediaType
from messenger_core.limits import MEGABYTE
from messenger_server.api.call import ClientLeft

JSON: Final = b"application/json"
"""What a body is that does not say it."""

_UTF_8: Final = frozenset({b"utf-8", b"utf8"})


def media_type_of(headers: Mapping[bytes, bytes]) -> bytes:
    """What a body is declared as, in lower case.

    Raises:
        UnsupportedMediaType: it is declared as compressed, or as text in another charset than
            UTF-8.
    """
    coding = headers.get(b"content-encoding", b"").strip().lower()
    if coding not in (b"", b"identity"):
        raise UnsupportedMediaType(
            "The body must come as it is: leave out the header Content-Encoding."
        )
    media_type, _, parameters = headers.get(b"content-type", JSON).lower().partition(b";")
    if parameters:
        for parameter in parameters.split(b";"):
            name, _, value = parameter.partition(b"=")
            if name.strip() == b"charset" and value.strip().strip(b'"') not in _UTF_8:
                raise UnsupportedMediaType("The body must be UTF-8: send it with that charset.")
    return media_type.strip()


def refuse_declared_size(headers: Mapping[bytes, bytes], limit_bytes: int) -> None:
    """Refuses a body by its declared length, before anything of it is read.

    Raises:
        BodyTooLarge: it would pass the limit.
    """
    length = headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > limit_bytes:
        raise _too_large(limit_bytes)


async def read_whole(receive: Receive, limit_bytes: int) -> bytes | bytearray:
    """The body.

    Raises:
        BodyTooLarge: it passes the limit; the rest is not read.
        ClientLeft: its sender is gone.
    """
    piece, is_last = await _next(receive)
    if is_last and len(piece) <= limit_bytes:
        return piece
    # One buffer that grows: joined at the end, a large body would be in memory twice.
    whole = bytearray(piece)
    while True:
        if len(whole) > limit_bytes:
            raise _too_large(limit_bytes)
        if is_last:
            return whole
        piece, is_last = await _next(receive)
        whole += piece


async def read_pieces(receive: Receive, limit_bytes: int) -> AsyncIterator[bytes]:
    """The body as it comes, none of its pieces empty; raises the same."""
    size_bytes = 0
    is_last = False
    while not is_last:
        piece, is_last = await _next(receive)
        size_bytes += len(piece)
        if size_bytes > limit_bytes:
            raise _too_large(limit_bytes)
        if piece:
            yield piece


async def _next(receive: Receive) -> tuple[bytes, bool]:
    """The next piece, and whether it is the last one."""
    message = await receive()
    if message["type"] != "http.request":
        raise ClientLeft
    return message.get("body", b""), not message.get("more_body")


def _too_large(limit_bytes: int) -> BodyTooLarge:
    return BodyTooLarge(f"The body may have {limit_bytes // MEGABYTE} MB here.")
