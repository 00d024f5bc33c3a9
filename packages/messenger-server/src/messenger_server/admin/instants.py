"""Instants that the console names in a query or a body."""

from messenger_core.times import parse_rfc3339, to_ms
from messenger_server.api.decoding import invalid


def instant_ms(field: str, text: str) -> int:
    """Milliseconds since 1970.

    Raises:
        InvalidRequest: it is no RFC 3339 time; names the field.
    """
    try:
        return to_ms(parse_rfc3339(text))
    except (ValueError, OverflowError):
        raise invalid(field, "must be an RFC 3339 time with a time zone") from None
