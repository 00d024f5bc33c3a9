"""What runs beside the requests, each second or each hour."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Final, NamedTuple

from messenger_core.errors import ApiKeyUnknown, MessengerError
from messenger_server.api.call import Services
from messenger_server.auth.last_use import LastUse
from messenger_server.database import Batch
from messenger_server.store.idempotency import purge_idempotency
from messenger_server.store.keys import find_key, refusal_of, touch_keys
from messenger_server.store.retention import purge_audit, purge_trash
from messenger_server.store.sessions import purge_sessions, touch_sessions

_log = logging.getLogger(__name__)

_TICK_SECONDS: Final = 1.0
_PURGE_SECONDS: Final = 3600.0
_KEYS_AT_ONCE: Final = 100
"""So many keys are looked up before the requests have their turn again."""


class Uses(NamedTuple):
    """The last uses that are not written yet."""

    keys: LastUse
    sessions: LastUse


@asynccontextmanager
async def background(services: Services, uses: Uses) -> AsyncIterator[None]:
    """Runs the tasks while the block runs, and at its end writes what they still hold."""
    tasks = [
        asyncio.create_task(_repeat(seconds, work))
        for seconds, work in (
            (_TICK_SECONDS, partial(_end_waits_of_bad_keys, services)),
            (_TICK_SECONDS, partial(_write_what_waits, services, uses)),
            (_PURGE_SECONDS, partial(_give_up_what_is_old, services)),
        )
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        services.hub.close()
        services.passwords.close()
        with suppress(MessengerError):
            await _write_what_waits(services, uses)
            await services.marks.finish()


async def _repeat(seconds: float, work: Callable[[], Awaitable[object]]) -> None:
    """Does the work now and again after each pause; a failure is logged and ends nothing."""
    while True:
        try:
            await work()
        except Exception:  # noqa: BLE001 (a border: nobody else hears of it)
            _log.exception("a task of the background failed")
        await asyncio.sleep(seconds)


async def _end_waits_of_bad_keys(services: Services) -> None:
    """Ends the waits of keys that expired, or that another process revoked."""
    for number, (key_id, fingerprint) in enumerate(services.hub.keys_in_use().items()):
        if number % _KEYS_AT_ONCE == 0:
            await asyncio.sleep(0)
        key = await find_key(services.database, fingerprint)
        refusal = ApiKeyUnknown() if key is None else refusal_of(key, services.clock.now_ms())
        if refusal is not None:
            services.hub.end_waits_of_key(key_id, refusal)


async def _give_up_what_is_old(services: Services) -> None:
    """Empties the trash of what has been there long enough, and forgets old records."""
    sweeps: list[Callable[[Batch], int]] = [purge_idempotency, purge_audit, purge_sessions]
    retention = services.config.trash_retention
    if retention is not None:
        sweeps.append(partial(purge_trash, older_than_ms=retention // timedelta(milliseconds=1)))
    for sweep in sweeps:
        # Portion by portion, each a transaction of its own: what others write comes in between.
        while await services.database.write(sweep, alone=True):
            pass


async def _write_what_waits(services: Services, uses: Uses) -> None:
    """Writes when keys were used, and the marks for which the queue was too full before."""
    if services.database.is_full():
        return
    services.marks.write()
    if used := uses.keys.take():
        await services.database.write(touch_keys, used)
    if seen := uses.sessions.take():
        await services.database.write(touch_sessions, seen)
