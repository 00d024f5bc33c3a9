"""What the growth figures measure: pages of the store, in two databases in turns.

    python -m tools.bench.pages SMALL LARGE READS NAME [NAME…]

prints a JSON object: for each name the milliseconds of one page in the large and in the small
database, medians of so many reads.
"""

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Final

from messenger_core.wire.messages import MessageQuery
from messenger_core.wire.threads import ThreadQuery
from messenger_server.database import Database
from messenger_server.store.folders import folders_of
from messenger_server.store.messages import list_messages
from messenger_server.store.threads import list_threads
from tools.bench.bases import MEASURED_MAILBOX_ID
from tools.bench.texts import MARKED_WORD

_Page = Callable[[Database], Awaitable[object]]

_NEWEST: Final = MessageQuery()
_FOUND: Final = MessageQuery(search=MARKED_WORD)
_TALKS: Final = ThreadQuery()

_PAGES: Final[dict[str, _Page]] = {
    "grow_list": lambda base: base.read(list_messages, MEASURED_MAILBOX_ID, _NEWEST),
    "grow_threads": lambda base: base.read(list_threads, MEASURED_MAILBOX_ID, _TALKS),
    "grow_counters": lambda base: base.read(folders_of, MEASURED_MAILBOX_ID),
    "grow_search": lambda base: base.search(list_messages, MEASURED_MAILBOX_ID, _FOUND),
}


async def main(small: Path, large: Path, reads: int, names: list[str]) -> dict[str, list[float]]:
    """Milliseconds of a page in the large and the small database, by the figure's name."""
    bases = [Database.open(large), Database.open(small)]
    gc.freeze()
    times = {name: await _times(_PAGES[name], bases, reads) for name in names}
    for base in bases:
        await base.close()
    return times


async def _times(page: _Page, bases: list[Database], reads: int) -> list[float]:
    """The median of each database; the first reads, which warm its caches, left out."""
    samples: list[list[float]] = [[] for _ in bases]
    for _ in range(reads + 3):
        for base, taken in zip(bases, samples, strict=True):
            begin = time.perf_counter()
            await page(base)
            taken.append((time.perf_counter() - begin) * 1000)
    return [median(taken[3:]) for taken in samples]


if __name__ == "__main__":
    paths = Path(sys.argv[1]), Path(sys.argv[2])
    print(json.dumps(asyncio.run(main(*paths, int(sys.argv[3]), sys.argv[4:]))))
