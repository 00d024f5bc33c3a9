"""Waits: one bounded long poll on the caller's mailbox."""

import asyncio
import math

from messenger_core.wire.links import Link
from messenger_core.wire.messages import MessageSummary
from messenger_core.wire.wait import WaitQuery, WaitResult
from messenger_server.api.call import Answer, Call, ClientLeft
from messenger_server.api.decoding import invalid
from messenger_server.presence import Waiter, Wake
from messenger_server.store import mailboxes
from messenger_server.store.arrivals import arrived


async def wait(call: Call[WaitQuery, None]) -> Answer[WaitResult]:
    """Holds the request until something arrives, the time is over or the wait has to end."""
    if not math.isfinite(call.query.timeout_seconds):
        raise invalid("timeout_seconds", "must be a finite number")
    waiter = Waiter(
        call.mailbox_id,
        call.caller.key_id,
        call.caller.fingerprint,
        is_watcher=call.query.watcher,
    )
    # First this, then the look into the base: what is committed in between wakes the waiter.
    call.services.hub.register(waiter)
    try:
        return await _wait(call, waiter)
    finally:
        call.services.hub.leave(waiter)


async def _wait(call: Call[WaitQuery, None], waiter: Waiter) -> Answer[WaitResult]:
    """One turn for each wake-up: look, give what is there, else sleep on.

    Raises:
        ClientLeft: there is nobody to answer any more.
        MessengerError: why the wait was ended.
    """
    after = call.query.after
    head = await call.services.database.read(mailboxes.head)
    cursor = head if after is None else min(after, head)
    wish = min(call.query.timeout_seconds, call.services.config.max_wait.total_seconds())
    deadline = asyncio.get_running_loop().time() + wish
    # Nothing is newer than the head, so the first look is spared; one that names a folder is
    # made, for there may be no such folder.
    is_looking = cursor < head or call.query.folder is not None
    wake = Wake.WOKEN if is_looking else await _sleep(call, waiter, deadline)
    while wake is Wake.WOKEN:
        if answer := await _look(call, cursor):
            return answer
        wake = await _sleep(call, waiter, deadline)
    return Answer(WaitResult(messages=[], links=[], cursor=cursor, timed_out=True))


async def _sleep(call: Call[WaitQuery, None], waiter: Waiter, deadline: float) -> Wake:
    if call.services.hub.is_closed:
        return Wake.LATE
    wake = await waiter.sleep(call.receive, deadline)
    if waiter.refusal is not None:
        raise waiter.refusal
    if wake is Wake.LEFT:
        raise ClientLeft
    return wake


async def _look(call: Call[WaitQuery, None], cursor: int) -> Answer[WaitResult] | None:
    """What arrived beyond the cursor; None: nothing that this wait is for."""
    query, services, mailbox_id = call.query, call.services, call.mailbox_id
    messages, links = await services.database.read(
        arrived, mailbox_id, cursor, query.folder, query.watcher or query.after is not None
    )
    if not messages and not links:
        return None
    call.window.give_back()
    new = [message.seq for message in messages if message.announced_at is None]

    def mark() -> None:
        services.marks.add(mailbox_id, new)

    return Answer(
        WaitResult(messages=messages, links=links, cursor=_last(messages, links), timed_out=False),
        after_sent=mark if query.watcher and new else None,
    )


def _last(messages: list[MessageSummary], links: list[Link]) -> int:
    return max([message.seq for message in messages] + [link.seq for link in links])
