"""The watcher's waits: one after the other, from a place on, whatever the server does meanwhile."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable

from messenger_core.errors import MessengerError, RateLimited
from messenger_core.wire.wait import WaitQuery, WaitResult
from messenger_mcp.api_client import MessengerClient, Unreachable

WAIT_SECONDS = 50.0
"""Under the minute after which many proxies cut a silent connection."""
RETRY_AFTER_MAX_SECONDS = 3600.0

_PAUSE_MIN_SECONDS = 0.5
_PAUSE_MAX_SECONDS = 30.0
_EMPTY_SECONDS = 1.0
"""A wait that ends with nothing in less than this is not followed by the next one at once."""

_log = logging.getLogger(__name__)
_random = random.SystemRandom()


async def fetch_arrivals(
    client: MessengerClient, after: int | None, deliver: Callable[[WaitResult], Awaitable[None]]
) -> None:
    """Waits for ever and hands over what every wait brings, also the empty ones.

    A server that is away, busy or failing is asked again after growing pauses.

    Args:
        client: for the mailbox that is watched.
        after: the place to start after; `None`: the head of the moment, which the first result
            brings as its cursor.
        deliver: takes each result before the next wait opens.

    Raises:
        MessengerError: the server refuses for good: the key, the mailbox.
    """
    loop = asyncio.get_running_loop()
    trouble = _Trouble()
    while True:
        asked_at = loop.time()
        try:
            result = await client.wait(_query(after))
        except (MessengerError, Unreachable) as error:
            if not _is_passing(error):
                raise
            await asyncio.sleep(trouble.pause_seconds(error))
            continue
        trouble.is_over()
        is_first = after is None
        after = result.cursor
        await deliver(result)
        if not is_first and _is_empty(result) and loop.time() - asked_at < _EMPTY_SECONDS:
            # A server that stops ends every wait at once, and may still take the next one.
            await asyncio.sleep(_PAUSE_MIN_SECONDS)


def _query(after: int | None) -> WaitQuery:
    # Without a place this only asks for the head, so that it can be kept before anything arrives.
    timeout_seconds = 0.0 if after is None else WAIT_SECONDS
    return WaitQuery(timeout_seconds=timeout_seconds, watcher=True, after=after)


def _is_passing(error: MessengerError | Unreachable) -> bool:
    if isinstance(error, Unreachable | RateLimited):
        return True
    return error.status >= 500


def _is_empty(result: WaitResult) -> bool:
    return not result.messages and not result.links


class _Trouble:
    """An outage: how often it was met, and what was said of it."""

    def __init__(self) -> None:
        self._tries = 0
        self._told = ""

    def pause_seconds(self, error: MessengerError | Unreachable) -> float:
        """How long to leave the server alone; tells of a new cause in the log, once."""
        if str(error) != self._told:
            self._told = str(error)
            kind = (
                "" if isinstance(error, Unreachable) else "The Messenger server refuses for now: "
            )
            _log.warning("%s%s The watcher goes on and tries again.", kind, error)
        longest = min(_PAUSE_MAX_SECONDS, _PAUSE_MIN_SECONDS * 2.0**self._tries)
        self._tries = min(self._tries + 1, 16)
        # Many watchers meet one outage: they do not all come back at the same instant.
        pause = longest * _random.uniform(0.5, 1.0)
        return max(pause, min(float(error.retry_after_seconds or 0), RETRY_AFTER_MAX_SECONDS))

    def is_over(self) -> None:
        """An answer came."""
        if self._tries:
            _log.warning("The Messenger server answers again.")
        self._tries = 0
        self._told = ""
