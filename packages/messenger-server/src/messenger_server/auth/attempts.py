"""Attempts: how many tries of a password or a setup code a client address may get wrong."""

import math
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from messenger_core.errors import InvalidCredentials, TooManyTries, WrongPassword, WrongSetupCode
from messenger_core.limits import TRIES_MAX_COUNT, TRIES_WINDOW_SECONDS
from messenger_server.clock import Clock

_FAILURES: Final = (InvalidCredentials, WrongPassword, WrongSetupCode)
_MOST_ADDRESSES: Final = 100_000
"""Beyond this many the one that failed longest ago is forgotten."""


class Attempts:
    """The failed tries of each client address in the last quarter of an hour; in memory."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # The moments of each address, oldest first; the addresses by their newest moment.
        self._tries: dict[str, deque[float]] = {}

    @contextmanager
    def trying(self, address: str) -> Iterator[None]:
        """Counts the try that the block makes, from its start, unless it turns out not to fail.

        Counted only at its end, a hundred tries at once would all be let in.

        Raises:
            TooManyTries: the address has failed too often; says for how many seconds.
        """
        moment = self._begin(address)
        try:
            yield
        except _FAILURES:
            raise
        except BaseException:
            self._forgive(address, moment)
            raise
        self._forgive(address, moment)

    def _begin(self, address: str) -> float:
        now = self._clock.monotonic()
        self._forget(now)
        tries = self._tries.pop(address, None) or deque()
        self._tries[address] = tries
        while tries and now - tries[0] >= TRIES_WINDOW_SECONDS:
            tries.popleft()
        if len(tries) >= TRIES_MAX_COUNT:
            seconds = max(1, math.ceil(tries[0] + TRIES_WINDOW_SECONDS - now))
            raise TooManyTries(
                f"Too many failed tries: try again in {seconds} s.",
                retry_after_seconds=seconds,
            )
        tries.append(now)
        return now

    def _forgive(self, address: str, moment: float) -> None:
        tries = self._tries.get(address)
        if tries is None:
            return
        if moment in tries:
            tries.remove(moment)
        if not tries:
            del self._tries[address]

    def _forget(self, now: float) -> None:
        """Drops the addresses whose tries are all over, and the first when there are too many."""
        while self._tries:
            address = next(iter(self._tries))
            is_over = now - self._tries[address][-1] >= TRIES_WINDOW_SECONDS
            if not is_over and len(self._tries) < _MOST_ADDRESSES:
                return
            del self._tries[address]
