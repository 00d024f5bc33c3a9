"""Bodies of requests: read within their limit, whole or in pieces."""

from collections.abc import AsyncIterator, Mapping

from litestar.types import Receive

from messenger_core.errors import BodyTooLarge
from messenger_core.limits import MEGABYTE
from messenger_server.api.call import ClientLeft


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
