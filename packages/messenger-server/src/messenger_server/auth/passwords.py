"""Passwords: scrypt in a thread of its own; the only module that hashes what a person chose."""

import asyncio
import secrets
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

# The library has no type hints, and this is the one module that it may be used in.
from passlib.hash import scrypt  # type: ignore[import-untyped]  # noqa: TID251

from messenger_core.errors import Busy
from messenger_core.wire.access import composed

COST: Final = 16
"""The binary logarithm of scrypt's N: with r=8 and p=2 it takes 64 MB and some 0.3 seconds.

Source: OWASP's password storage cheat sheet, and appendix C of its ASVS 5.0.
"""
_PARALLELISM: Final = 2
_QUEUE_LIMIT: Final = 20
"""Passwords that may wait for the thread; at a third of a second each, nobody waits for more."""

T = TypeVar("T")


def new_password() -> str:
    """A password of 24 characters for somebody who lost theirs."""
    return secrets.token_urlsafe(18)


class Passwords:
    """Hashes passwords and checks them, one after the other, off the event loop."""

    def __init__(self, cost: int = COST) -> None:
        self._scrypt = scrypt.using(rounds=cost, parallelism=_PARALLELISM)
        self._decoy = _hash_of_nothing(cost)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="messenger-passwords")
        self._waiting = 0

    def hash_now(self, password: str) -> str:
        """What the base keeps of a password; takes a third of a second of this thread."""
        hashed: str = self._scrypt.hash(composed(password))
        return hashed

    async def hash(self, password: str) -> str:
        """What the base keeps of a password.

        Raises:
            Busy: too many wait already.
        """
        return await self._run(lambda: self.hash_now(password))

    async def is_right(self, password: str, hashed: str | None) -> bool:
        """Whether this is the password; `None` is nobody's, and takes the same time to find out.

        Raises:
            Busy: too many wait already.
        """
        against = hashed or self._decoy
        return await self._run(lambda: bool(self._scrypt.verify(composed(password), against)))

    def close(self) -> None:
        """Gives the thread back; what waits is not done any more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= _QUEUE_LIMIT:
            raise Busy("Too many passwords wait to be checked: try again soon.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._waiting -= 1


def _hash_of_nothing(cost: int) -> str:
    """A hash in due form that belongs to no password."""
    salt, digest = (b64encode(secrets.token_bytes(size)).rstrip(b"=") for size in (16, 32))
    return f"$scrypt$ln={cost},r=8,p={_PARALLELISM}${salt.decode()}${digest.decode()}"
