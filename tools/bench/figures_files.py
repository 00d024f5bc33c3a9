"""Figures of attachments: `attach_25mb` and `attach_stall`, both of the same sends."""

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from messenger_core.limits import MEGABYTE
from tools.bench.bases import add_mailboxes
from tools.bench.client import BenchFailure, Connection, close_all, connect, expect
from tools.bench.figures import FIGURE_BY_NAME
from tools.bench.mailers import Mailer
from tools.bench.processes import (
    ROOT,
    Process,
    clean_environment,
    create_key,
    running_server,
)
from tools.bench.report import Result, Round, result_of
from tools.bench.running import Bench

NAMES: Final = ("attach_25mb", "attach_stall")
"""The figures of this group; one send gives a round of both."""

_FILE_BYTES: Final = tuple(size * MEGABYTE for size in (10, 10, 5))
_SETTLE_SECONDS: Final = 1.0
"""Between two sends: the log file is brought into the database meanwhile."""


class _Sent(NamedTuple):
    """What a send did to the server."""

    added_mb: float
    """The most memory that it held beyond what it had before."""
    stall_ms: float
    """The longest that a small request had to wait meanwhile."""
    seconds: float


def measure(bench: Bench, names: Sequence[str]) -> list[Result]:
    """The wanted figures of this group."""
    sends = asyncio.run(_sends(bench))
    longest = max(each.seconds for each in sends)
    note = f"the slowest send took {longest:.2f} s"
    taken = {
        "attach_25mb": [Round(each.added_mb) for each in sends],
        "attach_stall": [Round(each.stall_ms) for each in sends],
    }
    return [result_of(FIGURE_BY_NAME[name], taken[name], note) for name in names]


async def _sends(bench: Bench) -> list[_Sent]:
    database = bench.folder / "files.db"
    key = create_key(database)
    sender, recipient = add_mailboxes(database, "files", 2)
    with running_server(database) as (server, endpoint):
        arguments = [endpoint.url, key, sender, recipient, *map(str, _FILE_BYTES)]
        client = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tools.bench.file_sender",
            *arguments,
            cwd=ROOT,
            env=clean_environment({}),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        connections = await connect(endpoint, 1)
        try:
            return [
                await _one_send(client, server, connections[0], Mailer(key, recipient))
                for _ in range(bench.sizes.rounds)
            ]
        finally:
            close_all(connections)
            client.kill()
            await client.wait()


async def _one_send(
    client: asyncio.subprocess.Process, server: Process, asking: Connection, mailer: Mailer
) -> _Sent:
    """One send while somebody else asks for small things, one after the other."""
    assert client.stdin is not None, "the client was started with pipes"
    await _said(client, b"ready\n")
    await asyncio.sleep(_SETTLE_SECONDS)
    request = mailer.get("/health")
    before = server.resident_bytes()
    peak, stall = before, 0.0
    begin = time.perf_counter()
    client.stdin.write(b"\n")
    sent = asyncio.create_task(_said(client, b"sent\n"))
    while not sent.done():
        asked = time.perf_counter()
        expect(await asking.ask(request), 200, "GET /health")
        stall = max(stall, time.perf_counter() - asked)
        peak = max(peak, server.resident_bytes())
    await sent
    seconds = time.perf_counter() - begin
    return _Sent((peak - before) / 1e6, stall * 1000, seconds)


async def _said(client: asyncio.subprocess.Process, word: bytes) -> None:
    assert client.stdout is not None, "the client was started with pipes"
    line = await client.stdout.readline()
    if line != word:
        raise BenchFailure(f"the client that sends files said {line!r} instead of {word!r}")
