"""Instants that the console names in a query or a body."""

from messenger_core.echo import echoed
from messenger_core.times import parse_rfc3339, to_ms
from messenger_server.api.decoding import invalid


def instant_ms(field: str, text: str) -> int:
    """Milliseconds since 1970.

    Raises:
        InvalidRequest: it is no RFC 3339 time, or none of the years 1 to 9999 of UTC; names the
            field.
    """
    shown = repr(echoed(text))
    try:
        return to_ms(parse_rfc3339(text))
    except ValueError:
        wanted = "must be an RFC 3339 time with a time zone, as 2026-09-07T13:31:00Z"
        raise invalid(field, f"{wanted}, not {shown}") from None
    except OverflowError:
        raise invalid(field, f"must be within the years 1 to 9999 of UTC, not {shown}") from None
