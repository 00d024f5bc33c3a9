"""The lines between the client and the SDK's transport, with what the transport leaves open."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NoReturn

import anyio
import msgspec
from anyio import AsyncFile
from msgspec import UNSET, UnsetType

Refuse = Callable[[str | int | None, str], Awaitable[None]]
"""Answers a request that cannot be read: its id (`None`: the line is no JSON), and why."""

_LAST_ANSWERS_SECONDS = 0.25
_NO_JSON = "The line is not valid JSON: send one JSON-RPC message a line."
_REASON = "The request holds half of a surrogate pair (U+D800 to U+DFFF): remove it."


class OpenRequests:
    """The requests of the client that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._settled = anyio.Event()

    def asked(self, line: str) -> None:
        """Counts a line of the client, when it is a request."""
        head = _head_of(line)
        if head.id is not UNSET and head.method is not UNSET:
            if not self._ids:
                self._settled = anyio.Event()
            self._ids.add(head.id)

    def answered(self, line: str) -> None:
        """Takes what was written off, when it is an answer."""
        head = _head_of(line)
        if head.id is not UNSET and head.method is UNSET:
            self._ids.discard(head.id)
        if not self._ids:
            self._settled.set()

    async def settled(self) -> None:
        """Returns once every request has its answer."""
        if self._ids:
            await self._settled.wait()


class IncomingLines(AsyncFile[str]):
    r"""What the client writes, without the lines that the SDK would drop without a word.

    JSON may hold half of a surrogate pair (`\ud83d`), e.g. where a host cut a text in the middle of
    an emoji. The SDK's parser does not take such a line, and its caller would wait for ever; here
    the request is refused. So is a line that is no JSON, which the SDK would only log.
    """

    refuse: Refuse | None = None
    """Set as soon as answers can be written."""
    open_requests: OpenRequests
    when_ended: Callable[[], None]
    """Called at the end of the input."""

    async def __aiter__(self) -> AsyncIterator[str]:
        """The lines that can be read.

        The end is held back for a moment while answers are on their way: at the end of its input
        the SDK drops them.
        """
        async for line in super().__aiter__():
            self.open_requests.asked(line)
            request_id = _broken_request(line) if "\\ud" in line.lower() else None
            if self.refuse is None:
                yield line
            elif line.strip() and not _is_json(line):
                await self.refuse(None, _NO_JSON)
            elif request_id is None:
                yield line
            else:
                await self.refuse(request_id, _REASON)
        self.when_ended()
        with anyio.move_on_after(_LAST_ANSWERS_SECONDS):
            await self.open_requests.settled()


class OutgoingLines(AsyncFile[str]):
    """What is written to the client; tells when nobody reads it any more.

    The SDK would then wait for the end of the input, which may never come.
    """

    open_requests: OpenRequests
    when_broken: Callable[[], NoReturn]
    """Called at the first line that cannot be written."""

    async def write(self, line: str) -> int:
        """Sends a line at once."""
        try:
            written = await super().write(line)
            await super().flush()
        except OSError:
            self.when_broken()
        self.open_requests.answered(line)
        return written

    async def flush(self) -> None:
        """Does nothing: every line is sent when it is written."""


class _Head(msgspec.Struct):
    """What tells a request from an answer."""

    id: str | int | UnsetType = UNSET
    method: str | UnsetType = UNSET


def _head_of(line: str) -> _Head:
    try:
        return msgspec.json.decode(line, type=_Head)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return _Head()


def _is_json(line: str) -> bool:
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeEncodeError):
        try:
            json.loads(line)
        except ValueError:
            return False
    return True


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
