"""Entity tags of what the console asks for every few seconds: an unchanged server says so at once.

A tag is made of numbers that rise with every change, not of an answer's content, so it is compared
before anything is read. It is weak: of two answers with one tag, `waiting` of a watcher may differ.
"""

import secrets
from collections.abc import Awaitable, Callable
from functools import wraps
from hashlib import sha256
from typing import Any, Final, ParamSpec, TypeVar

import msgspec

from messenger_core.wire.common import Request, Response
from messenger_server.api.call import Answer, Call
from messenger_server.api.ranges import is_known
from messenger_server.store.changes import change_number

Q = TypeVar("Q", bound=Request)
A = TypeVar("A", bound=Response)
P = ParamSpec("P")

Read = Callable[[Call[Q, None]], Awaitable[A]]
Polled = Callable[[Call[Q, None]], Awaitable[Answer[A | None]]]

_PROCESS: Final = secrets.token_hex(8)
"""Presence is counted anew by each process."""
_REVALIDATE: Final = (b"cache-control", b"no-cache")
_MINUTE_MS: Final = 60_000


def polled(read: Read[Q, A]) -> Polled[Q, A]:
    """Makes a read answer 304 while nothing has changed that the console shows."""
    return _polled(read, ages=False)


def polled_by_minute(read: Read[Q, A]) -> Polled[Q, A]:
    """The same for what grows older by itself: it is new each minute."""
    return _polled(read, ages=True)


def _polled(read: Read[Q, A], *, ages: bool) -> Polled[Q, A]:
    @wraps(read)
    async def answer(call: Call[Q, None]) -> Answer[A | None]:
        # The tag first: what changes while the answer is read makes the next poll look again.
        tag = b'"%s"' % await _tag(call, read.__qualname__, ages=ages)
        headers = ((b"etag", b"W/" + tag), _REVALIDATE)
        asked = call.headers.get(b"if-none-match")
        has_any = asked is not None and asked.strip() == b"*"
        if not has_any and is_known(asked, tag):
            return Answer(None, 304, headers)
        found = await read(call)
        # `*` is any answer at all, so first there must be one (RFC 9110 §13.1.2).
        return Answer(None, 304, headers) if has_any else Answer(found, 200, headers)

    return answer


async def _tag(call: Call[Any, None], name: str, *, ages: bool) -> bytes:  # Any: of every query
    services = call.services
    parts = (
        _PROCESS,
        await change_number(services.database),
        services.hub.version,
        services.clock.now_ms() // _MINUTE_MS if ages else None,
        call.console.session_public_id,
        # What the URL says, however it is spelled.
        name,
        call.name,
        call.query,
    )
    return sha256(msgspec.json.encode(parts)).hexdigest()[:32].encode()
