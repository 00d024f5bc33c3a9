"""Who waits on which mailbox, and whether a watcher is there: in memory, on the event loop.

A wait registers first, then looks at the base, then sleeps; so whatever is committed in between
wakes it. Everything here runs on the loop's thread, except `Hub.is_armed`.
"""

import asyncio
from enum import Enum

from litestar.types import Receive

from messenger_core.errors import MessengerError
from messenger_core.limits import PRESENCE_GRACE_SECONDS
from messenger_core.times import rfc3339
from messenger_core.wire.mailboxes import WatcherState
from messenger_server.clock import Clock


class Wake(Enum):
    """Why a sleep ended."""

    WOKEN = 1
    """Something may have arrived, or the wait has to end: look."""
    LATE = 2
    """The time is over."""
    LEFT = 3
    """The client closed the connection."""


class Waiter:
    """One open wait on a mailbox."""

    __slots__ = (
        "_alarm",
        "_is_woken",
        "fingerprint",
        "is_watcher",
        "key_id",
        "mailbox_id",
        "refusal",
    )

    def __init__(self, mailbox_id: int, key_id: int, fingerprint: str, *, is_watcher: bool) -> None:
        self.mailbox_id = mailbox_id
        self.key_id = key_id
        """The key that opened it: it has to stay good."""
        self.fingerprint = fingerprint
        """Of that key."""
        self.is_watcher = is_watcher
        self.refusal: MessengerError | None = None
        """Why it must end."""
        self._is_woken = False
        self._alarm: asyncio.Timeout | None = None

    def wake(self) -> None:
        """Ends the sleep, or the next one before it begins."""
        self._is_woken = True
        if self._alarm is not None and not self._alarm.expired():
            self._alarm.reschedule(asyncio.get_running_loop().time())

    async def sleep(self, receive: Receive, deadline: float) -> Wake:
        """Sleeps until it is woken, the deadline (on the loop's clock) or the client's leaving.

        `receive` is the request's own, its body read: what it still tells is that the client left.
        A wake-up moves the deadline of listening to it, so one task is enough for all three.
        """
        if self._was_woken():
            return Wake.WOKEN
        try:
            async with asyncio.timeout_at(deadline) as self._alarm:
                while (await receive())["type"] != "http.disconnect":
                    pass
                return Wake.LEFT
        except TimeoutError:
            return Wake.WOKEN if self._was_woken() else Wake.LATE
        finally:
            self._alarm = None

    def _was_woken(self) -> bool:
        """Whether somebody woke it since the last time this was asked."""
        was_woken, self._is_woken = self._is_woken, False
        return was_woken


class _Watch:
    """What is known of the watchers of one mailbox."""

    __slots__ = ("held", "since_ms", "until")

    def __init__(self, since_ms: int) -> None:
        self.held = 0
        """Open waits of watchers."""
        self.since_ms = since_ms
        self.until = 0.0
        """While none is held: when it stops to count, on the monotonic clock."""


class Hub:
    """The waits and the watchers of every mailbox."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiters: dict[int, set[Waiter]] = {}
        self._watches: dict[int, _Watch] = {}
        # Watches without a wait, in the order in which they stop to count.
        self._paused: dict[int, _Watch] = {}
        self._version = 0
        self.is_closed = False
        """The server stops: a wait returns at once."""

    def register(self, waiter: Waiter) -> None:
        """Opens a wait; `leave` must follow."""
        self._waiters.setdefault(waiter.mailbox_id, set()).add(waiter)
        if waiter.is_watcher:
            self._hold(waiter.mailbox_id)

    def leave(self, waiter: Waiter) -> None:
        """Closes a wait; a watcher counts as armed for two more minutes."""
        of_mailbox = self._waiters[waiter.mailbox_id]
        of_mailbox.discard(waiter)
        if not of_mailbox:
            del self._waiters[waiter.mailbox_id]
        if waiter.is_watcher:
            self._release(waiter.mailbox_id)

    def wake(self, mailbox_id: int) -> None:
        """Wakes every wait on a mailbox: a message arrived."""
        for waiter in self._waiters.get(mailbox_id, ()):
            waiter.wake()

    def wake_watchers(self, mailbox_id: int) -> None:
        """Wakes the watchers' waits on a mailbox: it was linked."""
        for waiter in self._waiters.get(mailbox_id, ()):
            if waiter.is_watcher:
                waiter.wake()

    def keys_in_use(self) -> dict[int, str]:
        """The keys that hold a wait open: their fingerprints by their internal numbers."""
        return {waiter.key_id: waiter.fingerprint for waiter in self._open_waits()}

    def end_waits_of_key(self, key_id: int, refusal: MessengerError) -> None:
        """Ends every wait that a key opened: it is good no longer."""
        for waiter in self._open_waits():
            if waiter.key_id == key_id:
                waiter.refusal = refusal
                waiter.wake()

    def end_waits_of_mailbox(self, mailbox_id: int, refusal: MessengerError) -> None:
        """Ends every wait on a mailbox: it is no more."""
        for waiter in self._waiters.get(mailbox_id, ()):
            waiter.refusal = refusal
            waiter.wake()

    def close(self) -> None:
        """Ends every wait at once, and those to come."""
        self.is_closed = True
        for waiter in self._open_waits():
            waiter.wake()

    def is_armed(self, mailbox_id: int) -> bool:
        """Whether a watcher is there, or was within the grace period; any thread may ask."""
        watch = self._watches.get(mailbox_id)
        return watch is not None and self._counts(watch)

    def watcher(self, mailbox_id: int) -> WatcherState:
        """Whether a watcher is there, since when, and whether it waits at this moment."""
        watch = self._watches.get(mailbox_id)
        if watch is None or not self._counts(watch):
            return WatcherState(armed=False, since=None, waiting=False)
        return WatcherState(armed=True, since=rfc3339(watch.since_ms), waiting=watch.held > 0)

    def watchers(self) -> dict[int, WatcherState]:
        """The same of each mailbox that has one, or had within the grace period."""
        return {mailbox_id: self.watcher(mailbox_id) for mailbox_id in self._watches}

    @property
    def version(self) -> int:
        """A number that rises whenever some mailbox becomes armed, or is so no longer."""
        self._forget_the_lapsed()
        return self._version

    def _open_waits(self) -> list[Waiter]:
        return [waiter for of_mailbox in self._waiters.values() for waiter in of_mailbox]

    def _counts(self, watch: _Watch) -> bool:
        return watch.held > 0 or self._clock.monotonic() < watch.until

    def _hold(self, mailbox_id: int) -> None:
        self._forget_the_lapsed()
        watch = self._watches.get(mailbox_id)
        if watch is None:
            watch = self._watches[mailbox_id] = _Watch(self._clock.now_ms())
            self._version += 1
        self._paused.pop(mailbox_id, None)
        watch.held += 1

    def _release(self, mailbox_id: int) -> None:
        watch = self._watches[mailbox_id]
        # First the end of the grace: another thread must never see neither.
        watch.until = self._clock.monotonic() + PRESENCE_GRACE_SECONDS
        watch.held -= 1
        if watch.held == 0:
            self._paused[mailbox_id] = watch

    def _forget_the_lapsed(self) -> None:
        while self._paused:
            mailbox_id, watch = next(iter(self._paused.items()))
            if self._counts(watch):
                return
            del self._paused[mailbox_id], self._watches[mailbox_id]
            self._version += 1
