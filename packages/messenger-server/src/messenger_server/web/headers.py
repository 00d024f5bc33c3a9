"""The headers that every answer carries, whatever it says."""

import random
import re
from typing import Final

Header = tuple[bytes, bytes]

_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_new_ids: Final = random.Random()  # noqa: S311 (nobody gains by a guess; the system's costs a call)

_SECURITY: Final[tuple[Header, ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_POLICY: Final = b"content-security-policy"
SECURITY_HEADERS: Final = (
    *_SECURITY,
    (_POLICY, b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
)
"""Whatever a browser takes it for, it runs nothing, loads nothing and stands in no frame."""
_OF_CONSOLE: Final = (
    *_SECURITY,
    (
        _POLICY,
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        b" connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
        b" require-trusted-types-for 'script'; trusted-types 'none'",
    ),
)
"""Its page loads what comes from here, and no text becomes markup or script."""
NOT_KEPT: Final[Header] = (b"cache-control", b"no-store")
"""Of every answer that does not say itself for how long it holds."""


def security_headers(path: str) -> tuple[Header, ...]:
    """What tells browsers to be careful with an answer at this path."""
    return _OF_CONSOLE if path.startswith("/ui/") or path == "/ui" else SECURITY_HEADERS


def request_id(incoming: bytes | None) -> bytes:
    """The incoming identifier of a request when it has the form of one, else a new one."""
    if incoming is not None and _REQUEST_ID.fullmatch(incoming):
        return incoming
    return b"%016x" % _new_ids.getrandbits(64)
