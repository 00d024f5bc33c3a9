"""The lines between the client and the SDK's transport, with what the transport leaves open."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NoReturn

from anyio import AsyncFile

Refuse = Callable[[str | int, str], Awaitable[None]]
"""Answers a request that cannot be read: its id, and why."""

_REASON = "The request holds half of a surrogate pair (U+D800 to U+DFFF): remove it."


class IncomingLines(AsyncFile[str]):
    r"""What the client writes, without the lines that the SDK would drop without a word.

    JSON may hold half of a surrogate pair (`\ud83d`), e.g. where a host cut a text in the middle of
    an emoji. The SDK's parser does not take such a line, and its caller would wait for ever; here
    the request is refused.
    """

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


class OutgoingLines(AsyncFile[str]):
    """What is written to the client; tells when nobody reads it any more.

    The SDK would then wait for the end of the input, which may never come.
    """

    when_broken: Callable[[], NoReturn]
    """Called at the first line that cannot be written."""

    async def flush(self) -> None:
        """Sends what was written."""
        try:
            await super().flush()
        except OSError:
            self.when_broken()


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
