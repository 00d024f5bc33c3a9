"""Sending once: each send has one idempotency key, and is repeated under it while that may help.

What is repeated: transport failures, 502, 503, 504 and 429. When the outcome stays unknown, the
key is kept for ten minutes, so that the same content sent again is the same message.
"""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import msgspec

from messenger_core.errors import (
    Busy,
    InternalError,
    MessengerError,
    RateLimited,
    Unauthorized,
)
from messenger_core.mail import AttachmentSource
from messenger_core.wire.messages import SendMessage, SentMessage
from messenger_mcp.api_errors import Unreachable
from messenger_mcp.local_paths import PathRefused

KEY_KEPT_SECONDS = 600.0
REPEATED_FOR_SECONDS = 30.0
"""A send without an answer is repeated this long; with the last try's own time, under a minute."""
RETRY_AFTER_WITHIN_SECONDS = 60.0
"""A pause that the server asks for is kept while it fits in this."""

_FIRST_PAUSE_SECONDS = 0.25
_PAUSE_MAX_SECONDS = 5.0
_GATEWAY_STATUSES = frozenset({None, 502, 503, 504})

Attempt = Callable[[str], Awaitable[SentMessage]]
"""One try of a send under an idempotency key."""


class OutcomeUnknown(Exception):
    """The server may have accepted the message or not; its text says why nobody knows."""


@dataclass(frozen=True, slots=True)
class Pauses:
    """The clock that repetitions go by, in seconds."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class OnceSender:
    """Sends each message once; remembers the keys of those whose outcome is unknown."""

    def __init__(self, pauses: Pauses | None = None) -> None:
        self._pauses = pauses or Pauses()
        self._kept: dict[bytes, tuple[str, float]] = {}

    async def send(
        self,
        address: str,
        draft: SendMessage,
        attempt: Attempt,
        sources: Sequence[AttachmentSource] = (),
    ) -> SentMessage:
        """Sends a draft with its files from an address by trying until there is an answer.

        Raises:
            OutcomeUnknown: no answer in time, and a try may have reached the server.
            Unreachable: no try reached it.
            MessengerError: the server refused.
            PathRefused: a file is no longer what it was; nothing was sent.
        """
        content = _digest(address, draft, sources)
        kept_key = self._kept_key(content)
        key = kept_key or secrets.token_hex(16)
        tries = _Tries(self._pauses, may_have_arrived=kept_key is not None)
        try:
            message = await tries.run(key, attempt)
        except MessengerError as error:
            if isinstance(error, InternalError | Unauthorized | RateLimited | Busy):
                self._keep_if(tries.may_have_arrived or _is_unclear(error), content, key)
            else:
                self._kept.pop(content, None)
            raise
        except BaseException:
            # Cancelled counts too: a request on its way is not called back.
            self._keep_if(tries.may_have_arrived, content, key)
            raise
        self._kept.pop(content, None)
        return message

    def _kept_key(self, content: bytes) -> str | None:
        now = self._pauses.now()
        self._kept = {
            content: (key, until) for content, (key, until) in self._kept.items() if until > now
        }
        key, _ = self._kept.get(content, (None, 0.0))
        return key

    def _keep_if(self, may_have_arrived: bool, content: bytes, key: str) -> None:
        if may_have_arrived:
            self._kept[content] = (key, self._pauses.now() + KEY_KEPT_SECONDS)


class _Tries:
    """The tries of one send, and what they leave open."""

    def __init__(self, pauses: Pauses, *, may_have_arrived: bool) -> None:
        self.may_have_arrived = may_have_arrived
        self._pauses = pauses
        self._begun = pauses.now()
        self._pause_seconds = _FIRST_PAUSE_SECONDS

    async def run(self, key: str, attempt: Attempt) -> SentMessage:
        while True:
            before = self.may_have_arrived
            try:
                # Until there is an answer, a try that was cut off may have arrived.
                self.may_have_arrived = True
                return await attempt(key)
            except Unreachable as error:
                self.may_have_arrived = before or error.may_have_arrived
                if not await self._may_repeat(error):
                    raise self._verdict(error) from error
            except (RateLimited, Busy) as error:
                self.may_have_arrived = before
                if not await self._may_repeat(error):
                    raise self._verdict(error) from error
            except PathRefused as error:
                # What broke off within a file was no whole request: this try did not arrive.
                self.may_have_arrived = before
                raise self._verdict(error) from error
            except MessengerError:
                self.may_have_arrived = before
                raise

    async def _may_repeat(self, error: Unreachable | RateLimited | Busy) -> bool:
        """Pauses before the next try; `False` when there is to be none."""
        if isinstance(error, Unreachable) and error.status not in _GATEWAY_STATUSES:
            return False
        elapsed = self._pauses.now() - self._begun
        if error.retry_after_seconds is not None:
            pause, budget = float(error.retry_after_seconds), RETRY_AFTER_WITHIN_SECONDS
        else:
            pause, budget = self._pause_seconds, REPEATED_FOR_SECONDS
            self._pause_seconds = min(self._pause_seconds * 2, _PAUSE_MAX_SECONDS)
        if elapsed + pause > budget:
            return False
        await self._pauses.sleep(pause)
        return True

    def _verdict(self, error: Exception) -> Exception:
        return OutcomeUnknown(str(error)) if self.may_have_arrived else error


def _digest(address: str, draft: SendMessage, sources: Sequence[AttachmentSource]) -> bytes:
    """What two sends have in common that are the same message."""
    files = [(source.filename, source.mime_type, source.sha256) for source in sources]
    return hashlib.sha256(msgspec.json.encode([address, draft, files])).digest()


def _is_unclear(error: MessengerError) -> bool:
    return isinstance(error, InternalError)
