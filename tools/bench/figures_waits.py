"""Figures of waiters: `wake`, `wake_p99`, `waiter_kb`, `stop`."""

import asyncio
from collections.abc import Sequence
from typing import Final

from tools.bench.bases import add_mailboxes
from tools.bench.client import Connection, Endpoint, close_all, connect
from tools.bench.figures import FIGURE_BY_NAME
from tools.bench.mailers import Mailer
from tools.bench.processes import create_key, running_server
from tools.bench.report import Result, Round, result_of
from tools.bench.running import Bench, percentile
from tools.bench.waiting import IdleWaits, WakeLoad

NAMES: Final = ("wake", "wake_p99", "waiter_kb", "stop")
"""The figures of this group, in the order they are taken."""

_WOKEN: Final = 100
"""Mailboxes that get the messages of `wake`, each with one wait open."""


def measure(bench: Bench, names: Sequence[str]) -> list[Result]:
    """The wanted figures of this group."""
    return asyncio.run(_measure(bench, names))


async def _measure(bench: Bench, names: Sequence[str]) -> list[Result]:
    results = []
    wakes = [name for name in names if name.startswith("wake")]
    if wakes:
        results += await _wakes(bench, wakes)
    if "waiter_kb" in names:
        rounds = [await _waiter_kb(bench, each) for each in range(bench.sizes.heavy_rounds)]
        results.append(result_of(FIGURE_BY_NAME["waiter_kb"], rounds))
    if "stop" in names:
        rounds = [await _stop(bench, each) for each in range(bench.sizes.rounds)]
        results.append(result_of(FIGURE_BY_NAME["stop"], rounds))
    return results


async def _wakes(bench: Bench, names: Sequence[str]) -> list[Result]:
    """Both figures beside the same idle waits."""
    sizes = bench.sizes
    database = bench.folder / "wake.db"
    key = create_key(database)
    idle = [Mailer(key, each) for each in add_mailboxes(database, "idle", sizes.idle_waiters)]
    woken = [Mailer(key, each) for each in add_mailboxes(database, "woken", _WOKEN)]
    writer = Mailer(key, add_mailboxes(database, "writer", 1)[0])
    results = []
    with running_server(database) as (_, endpoint):
        async with IdleWaits(endpoint, idle):
            for name in names:
                rate = sizes.slow_rate if name == "wake" else sizes.fast_rate
                rounds = []
                for _round in range(sizes.heavy_rounds):
                    load = WakeLoad(endpoint, writer, woken)
                    await load.run(rate, sizes.wake_seconds)
                    rounds.append(_wake_round(name, load))
                results.append(result_of(FIGURE_BY_NAME[name], rounds))
    return results


def _wake_round(name: str, load: WakeLoad) -> Round:
    """Milliseconds until the waiters had their answers, and of the floor."""
    middle = percentile(load.wake_ms, 0.5)
    if name == "wake":
        return Round(middle, percentile(load.health_ms, 0.5))
    return Round(percentile(load.wake_ms, 0.99), middle)


async def _waiter_kb(bench: Bench, number: int) -> Round:
    """Memory that each open wait adds to the server."""
    database = bench.folder / f"waiters{number}.db"
    key = create_key(database)
    addresses = add_mailboxes(database, "idle", bench.sizes.counted_waiters)
    mailers = [Mailer(key, address) for address in addresses]
    with running_server(database) as (process, endpoint):
        await _warm(endpoint, mailers[0])
        before = process.resident_bytes()
        async with IdleWaits(endpoint, mailers):
            added = process.resident_bytes() - before
    return Round(added / len(mailers) / 1000)


async def _stop(bench: Bench, number: int) -> Round:
    """Seconds from SIGTERM until the process is gone."""
    database = bench.folder / f"stop{number}.db"
    key = create_key(database)
    addresses = add_mailboxes(database, "idle", bench.sizes.stopped_waiters)
    with running_server(database) as (process, endpoint):
        async with IdleWaits(endpoint, [Mailer(key, each) for each in addresses]) as waits:
            waits.may_end = True
            return Round(await asyncio.to_thread(process.terminate))


async def _warm(endpoint: Endpoint, mailer: Mailer) -> None:
    """A few requests of each kind, so that what they load once is there."""
    connections: list[Connection] = await connect(endpoint, 20)
    for connection in connections:
        await connection.ask(mailer.get("/health"))
        await connection.ask(mailer.get("/api/mailbox"))
        await connection.ask(mailer.get("/api/wait?timeout_seconds=0&watcher=true"))
    close_all(connections)
