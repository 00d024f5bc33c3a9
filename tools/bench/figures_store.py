"""Figures of the store, without HTTP: `store_c32` and the growth of its pages."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from messenger_core.migrate import HEAD_REVISION
from tools.bench.bases import add_mailboxes, create, grow
from tools.bench.figures import FIGURE_BY_NAME
from tools.bench.processes import run_python
from tools.bench.report import Result, Round, result_of
from tools.bench.running import Bench

NAMES: Final = ("store_c32", "grow_list", "grow_threads", "grow_counters", "grow_search")
"""The figures of this group, in the order they are taken."""


def measure(bench: Bench, names: Sequence[str]) -> list[Result]:
    """The wanted figures of this group."""
    results = []
    if "store_c32" in names:
        rounds = [_store_round(bench, number) for number in range(bench.sizes.rounds)]
        results.append(result_of(FIGURE_BY_NAME["store_c32"], rounds))
    growths = [name for name in names if name.startswith("grow_")]
    if growths:
        results += _growths(bench, growths)
    return results


def _store_round(bench: Bench, number: int) -> Round:
    """Sends a second through the writer and through bare sqlite3, each in a new database."""
    modules = ["tools.bench.store_sends", "tools.bench.floor_sqlite"]
    pace = {}
    for module in modules if number % 2 else modules[::-1]:
        database = bench.folder / f"{module.rpartition('.')[2]}{number}.db"
        create(database)
        add_mailboxes(database, "bench", bench.sizes.clients)
        amounts = (str(bench.sizes.clients), str(bench.sizes.store_sends))
        pace[module] = bench.sizes.store_sends / float(run_python(module, str(database), *amounts))
    return Round(*(pace[module] for module in modules))


def _growths(bench: Bench, names: Sequence[str]) -> list[Result]:
    small = _grown(bench, bench.sizes.small_base)
    large = _grown(bench, bench.sizes.large_base)
    rounds: dict[str, list[Round]] = {name: [] for name in names}
    arguments = (str(small), str(large), str(bench.sizes.page_reads), *names)
    for _ in range(bench.sizes.rounds):
        times = json.loads(run_python("tools.bench.pages", *arguments))
        for name in names:
            rounds[name].append(Round(*times[name]))
    return [result_of(FIGURE_BY_NAME[name], rounds[name]) for name in names]


def _grown(bench: Bench, messages: int) -> Path:
    """A database with this many messages; what an earlier run left in the cache is used again."""
    database = bench.cache / f"grown-{HEAD_REVISION}-{messages}.db"
    if not database.exists():
        unfinished = database.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        grow(unfinished, messages)
        unfinished.replace(database)
    return database
