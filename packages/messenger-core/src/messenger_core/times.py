"""Instants and their three forms.

Aware UTC datetimes in the program, integers of milliseconds in the base, RFC 3339 text on the wire.
"""

import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

_MILLISECONDS: Final = tuple(f".{rest:03d}Z" for rest in range(1000))
"""What follows the seconds; written out once, because a page formats a hundred instants."""


def now_ms() -> int:
    """The current instant in milliseconds since 1970; where time is an argument, pass this in."""
    return time.time_ns() // 1_000_000


def to_ms(instant: datetime) -> int:
    """Milliseconds since 1970-01-01T00:00:00Z, rounded down.

    Source: the time columns of `messenger_core.schema`.
    """
    whole = int(instant.replace(microsecond=0).timestamp())
    return whole * 1000 + instant.microsecond // 1000


def from_ms(ms: int) -> datetime:
    """The aware UTC instant of a number of milliseconds since 1970."""
    seconds, rest = divmod(ms, 1000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest * 1000)


def rfc3339(ms: int) -> str:
    """The wire form of an instant in milliseconds, e.g. `2026-09-07T13:31:00.203Z`."""
    return _to_the_second(ms // 1000) + _MILLISECONDS[ms % 1000]


def rfc3339_or_none(ms: int | None) -> str | None:
    """The wire form of an instant that may not have come yet."""
    return None if ms is None else rfc3339(ms)


def parse_rfc3339(text: str) -> datetime:
    """The aware UTC instant of a wire form.

    Raises:
        ValueError: the text is no RFC 3339 time, or names no time zone.
    """
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError(f"{text!r} names no time zone: end it in Z")
    return instant.astimezone(UTC)


@lru_cache(maxsize=4096)  # a page shows the same few moments again and again
def _to_the_second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
