"""Ranges and entity tags (RFC 9110 §13 and §14): how much of a file a client wants."""

import re
from typing import Final, NamedTuple

from messenger_core.errors import RangeNotSatisfiable

_ONE_RANGE: Final = re.compile(rb"bytes=[ \t]*(\d*)-(\d*)[ \t]*", re.IGNORECASE)
_DIGITS_MAX: Final = 18
"""Longer numbers lie beyond every file."""


class Span(NamedTuple):
    """Some of a file's bytes: from `begin` on, up to and without `end`."""

    begin: int
    end: int


def is_known(if_none_match: bytes | None, etag: bytes) -> bool:
    """Whether the client has what the entity tag names already."""
    if if_none_match is None:
        return False
    tags = [tag.strip() for tag in if_none_match.split(b",")]
    return b"*" in tags or etag in [tag.removeprefix(b"W/") for tag in tags]


def wanted_span(
    asked: bytes | None, if_range: bytes | None, etag: bytes, size_bytes: int
) -> Span | None:
    """The part that the client asks for; `None`: all of it.

    Several ranges at once, another unit and what cannot be read as a range are ignored, as is a
    range of another content than the client believes.

    Raises:
        RangeNotSatisfiable: the range lies beyond the file.
    """
    if asked is None or (if_range is not None and if_range.strip() != etag):
        return None
    parts = _ONE_RANGE.fullmatch(asked)
    if parts is None or not (parts[1] or parts[2]):
        return None
    first, last = _number(parts[1]), _number(parts[2])
    if first is None:
        span = Span(max(0, size_bytes - (last or 0)), size_bytes)
    elif last is not None and last < first:
        return None
    else:
        span = Span(first, size_bytes if last is None else min(last + 1, size_bytes))
    if span.begin >= span.end:
        raise RangeNotSatisfiable.beyond(size_bytes)
    return span


def _number(digits: bytes) -> int | None:
    if not digits:
        return None
    return int(digits) if len(digits) <= _DIGITS_MAX else 10**_DIGITS_MAX
