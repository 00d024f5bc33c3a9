"""Figures of whole requests: `send_c32`, `send_c1`, `list50`, `mixed`, `auth`."""

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from tools.bench.bases import add_mailboxes
from tools.bench.client import Endpoint, close_all, connect, expect
from tools.bench.figures import FIGURE_BY_NAME
from tools.bench.load import NextRequest, pace_for, time_of
from tools.bench.mailers import Mailer, ring
from tools.bench.processes import create_key, running_module, running_server
from tools.bench.report import Result, Round, result_of
from tools.bench.running import Bench, in_turns

NAMES: Final = ("send_c32", "send_c1", "list50", "mixed", "auth")
"""The figures of this group, in the order they are taken."""

_PAGE: Final = "/api/messages?limit=50"
_GUARDED: Final = "tools.bench.guarded_app"


class _Stage(NamedTuple):
    """The two servers, and the clients that speak to either of them."""

    server: Endpoint
    floor: Endpoint
    senders: list[NextRequest]
    listers: list[NextRequest]


def measure(bench: Bench, names: Sequence[str]) -> list[Result]:
    """The wanted figures of this group."""
    whole = [name for name in names if name != "auth"]
    results = asyncio.run(_whole_requests(bench, whole)) if whole else []
    if "auth" in names:
        results.append(asyncio.run(_auth(bench)))
    return results


async def _whole_requests(bench: Bench, names: Sequence[str]) -> list[Result]:
    database = bench.folder / "http.db"
    key = create_key(database)
    with running_server(database) as (_, server):
        mailers = [Mailer(key, f"bench-{number}") for number in range(bench.sizes.clients)]
        send_bytes, list_bytes = await _fill(bench, server, mailers)
        sizes = (str(send_bytes), str(list_bytes))
        log = bench.folder / "floor_http.log"
        with running_module("tools.bench.floor_http", log, *sizes) as floor:
            listers = [mailer.gets(_PAGE) for mailer in mailers]
            stage = _Stage(server, floor, ring(mailers), listers)
            return [
                result_of(FIGURE_BY_NAME[name], await _rounds(bench, stage, name)) for name in names
            ]


async def _fill(bench: Bench, server: Endpoint, mailers: Sequence[Mailer]) -> tuple[int, int]:
    """Registers the mailboxes and fills their inboxes; bytes of a send's and of a page's answer."""
    (connection,) = await connect(server, 1)
    for mailer in mailers:
        await mailer.register(connection)
    senders = ring(mailers)
    await time_of(server, senders, 201, bench.sizes.listed_messages * len(mailers))
    sent = expect(await connection.ask(senders[0]()), 201, "send")
    page = expect(await connection.ask(mailers[0].get(_PAGE)), 200, "list")
    close_all([connection])
    return len(sent), len(page)


async def _rounds(bench: Bench, stage: _Stage, name: str) -> list[Round]:
    sizes = bench.sizes
    if name == "mixed":
        return [await _mixed(bench, stage) for _ in range(sizes.rounds)]
    clients, status = {
        "send_c32": (stage.senders, 201),
        "send_c1": (stage.senders[:1], 201),
        "list50": (stage.listers, 200),
    }[name]

    async def pace(endpoint: Endpoint) -> float:
        return (await pace_for(endpoint, clients, status, sizes.seconds)).per_second

    return await in_turns(sizes.rounds, lambda: pace(stage.server), lambda: pace(stage.floor))


async def _mixed(bench: Bench, stage: _Stage) -> Round:
    """Seconds of sends and lists together, and of the two one after the other."""
    half = bench.sizes.clients // 2

    async def sends() -> float:
        clients = stage.senders[:half]
        return (await time_of(stage.server, clients, 201, bench.sizes.mixed_sends)).seconds

    async def lists() -> float:
        clients = stage.listers[half:]
        return (await time_of(stage.server, clients, 200, bench.sizes.mixed_lists)).seconds

    alone = await sends() + await lists()
    together = max(await asyncio.gather(sends(), lists()))
    return Round(together, alone)


async def _auth(bench: Bench) -> Result:
    """A constant behind the gate with the key check, and the same where the gate asks nobody."""
    database = bench.folder / "auth.db"
    key = create_key(database)
    mailers = [Mailer(key, each) for each in add_mailboxes(database, "auth", bench.sizes.clients)]

    async def pace(endpoint: Endpoint, path: str) -> float:
        clients = [mailer.gets(path) for mailer in mailers]
        return (await pace_for(endpoint, clients, 200, bench.sizes.seconds)).per_second

    with (
        running_module(_GUARDED, bench.folder / "guarded.log", str(database)) as guarded,
        running_module(_GUARDED, bench.folder / "bare.log") as bare,
    ):
        rounds = await in_turns(
            bench.sizes.rounds,
            lambda: pace(guarded, "/api/constant"),
            lambda: pace(guarded, "/constant"),
        )
        whole = await in_turns(
            bench.sizes.rounds,
            lambda: pace(guarded, "/api/constant"),
            lambda: pace(bare, "/constant"),
        )
    result = result_of(FIGURE_BY_NAME["auth"], rounds)
    share = result_of(FIGURE_BY_NAME["auth"], whole).ratio
    return msgspec.structs.replace(result, note=f"the whole gate against a bare app: {share:.3g}")
