"""How large and how long: the sizes that the figures are defined with, and tiny ones to try it."""

from typing import Final

from msgspec import Struct


class Sizes(Struct, frozen=True, kw_only=True):
    """The amounts of one run."""

    rounds: int
    """Of the figures that take seconds."""
    heavy_rounds: int
    """Of those that start a server with thousands of waits."""
    seconds: float
    """Of one measurement of a closed loop."""
    clients: int = 32
    listed_messages: int
    """In the inbox of each mailbox that is listed."""
    mixed_sends: int
    mixed_lists: int
    store_sends: int
    idle_waiters: int
    """Beside the waits that are woken."""
    slow_rate: int
    """Messages a second of `wake`."""
    fast_rate: int
    """Messages a second of `wake_p99`."""
    wake_seconds: float
    counted_waiters: int
    """Of `waiter_kb`."""
    stopped_waiters: int
    """Of `stop`."""
    small_base: int
    large_base: int
    """Messages in the two grown databases."""
    page_reads: int
    """Reads of one page in one round."""
    console_messages: int
    console_mailboxes: int
    console_settle_seconds: float
    """After opening: what comes a moment later has come, the first refresh too."""
    console_idle_seconds: float
    """In which the console refreshes itself every five seconds."""


FULL: Final = Sizes(
    rounds=5,
    heavy_rounds=3,
    seconds=1.5,
    listed_messages=60,
    mixed_sends=2000,
    mixed_lists=2000,
    store_sends=3000,
    idle_waiters=5000,
    slow_rate=100,
    fast_rate=1000,
    wake_seconds=5.0,
    counted_waiters=10_000,
    stopped_waiters=1000,
    small_base=10_000,
    large_base=1_000_000,
    page_reads=200,
    console_messages=100_000,
    console_mailboxes=5000,
    console_settle_seconds=6.0,
    console_idle_seconds=16.0,
)

QUICK: Final = Sizes(
    rounds=1,
    heavy_rounds=1,
    seconds=0.2,
    clients=4,
    listed_messages=3,
    mixed_sends=20,
    mixed_lists=20,
    store_sends=50,
    idle_waiters=20,
    slow_rate=50,
    fast_rate=100,
    wake_seconds=0.3,
    counted_waiters=50,
    stopped_waiters=20,
    small_base=500,
    large_base=1000,
    page_reads=5,
    console_messages=500,
    console_mailboxes=50,
    console_settle_seconds=0.5,
    console_idle_seconds=5.5,
)
