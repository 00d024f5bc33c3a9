"""The headers that every answer carries, whatever it says."""

import re
import secrets
from typing import Final

Header = tuple[bytes, bytes]

_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")

SECURITY_HEADERS: Final[tuple[Header, ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
"""Source: http-api §1."""
NOT_KEPT: Final[Header] = (b"cache-control", b"no-store")
"""Of every answer that does not say itself for how long it holds."""


def request_id(incoming: bytes | None) -> bytes:
    """The incoming identifier of a request when it has the form of one, else a new one."""
    if incoming is not None and _REQUEST_ID.fullmatch(incoming):
        return incoming
    return secrets.token_hex(8).encode()
