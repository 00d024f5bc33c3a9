r"""The client's lines on their way to the SDK, without those that it would drop without a word.

JSON may hold half of a surrogate pair (`\ud83d`), e.g. where a host cut a text in the middle of an
emoji. The SDK's parser does not take such a line, and its caller would wait for ever; here the
request is refused.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable

from anyio import AsyncFile

Refuse = Callable[[str | int, str], Awaitable[None]]
"""Answers a request that cannot be read: its id, and why."""

_REASON = "The request holds half of a surrogate pair (U+D800 to U+DFFF): remove it."


class IncomingLines(AsyncFile[str]):
    """What the client writes, a line at a time."""

    refuse: Refuse | None = None
    """Set as soon as answers can be written."""

    async def __aiter__(self) -> AsyncIterator[str]:
        """The lines that can be read."""
        async for line in super().__aiter__():
            request_id = _broken_request(line) if "\\ud" in line.lower() else None
            if request_id is None or self.refuse is None:
                yield line
            else:
                await self.refuse(request_id, _REASON)


def _broken_request(line: str) -> str | int | None:
    """The id of a request that holds half of a pair; `None` when the line is no such request."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        request_id = message.get("id") if isinstance(message, dict) else None
        return request_id if isinstance(request_id, str | int) else None
    return None
