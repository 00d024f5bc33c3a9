"""Arguments of the benchmark, and the order in which its groups run."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tools.bench import (
    figures_console,
    figures_files,
    figures_http,
    figures_processes,
    figures_store,
    figures_waits,
)
from tools.bench.client import BenchFailure
from tools.bench.figures import FIGURE_BY_NAME, FIGURES
from tools.bench.processes import byte_compile, raise_file_limit
from tools.bench.report import (
    Report,
    Result,
    json_document,
    machine,
    machine_line,
    result_line,
)
from tools.bench.running import Bench
from tools.bench.sizes import FULL, QUICK, Sizes

_Measure = Callable[[Bench, Sequence[str]], list[Result]]

_GROUPS: Final[tuple[tuple[tuple[str, ...], _Measure], ...]] = (
    (figures_http.NAMES, figures_http.measure),
    (figures_store.NAMES, figures_store.measure),
    (figures_waits.NAMES, figures_waits.measure),
    (figures_processes.NAMES, figures_processes.measure),
    (figures_files.NAMES, figures_files.measure),
    (figures_console.NAMES, figures_console.measure),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; 0 when all that was asked for was measured, targets met or not."""
    options = _parser().parse_args(arguments)
    raise_file_limit()
    byte_compile()
    with tempfile.TemporaryDirectory(prefix="messenger-bench-") as name:
        folder = Path(name)
        bench = Bench(_sizes(options), folder, options.cache or folder)
        try:
            _run(bench, options.only, as_json=options.json)
        except BenchFailure as failure:
            print(f"bench: {failure}", file=sys.stderr)
            return 1
    return 0


def _run(bench: Bench, names: Sequence[str], *, as_json: bool) -> None:
    before = machine()
    if not as_json:
        print(machine_line(before), flush=True)
    results = []
    for result in _results(bench, names):
        results.append(result)
        if not as_json:
            print(result_line(result), flush=True)
    after = machine()
    if as_json:
        print(json_document(Report(before=before, after=after, results=results)))
    else:
        print(machine_line(after))


def _results(bench: Bench, names: Sequence[str]) -> Iterator[Result]:
    for of_group, measure in _GROUPS:
        wanted = [name for name in of_group if name in names]
        if wanted:
            yield from measure(bench, wanted)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__)
    every_name = ",".join(figure.name for figure in FIGURES)
    parser.add_argument("--only", type=_names, default=list(FIGURE_BY_NAME), help=every_name)
    parser.add_argument("--rounds", type=int, help="of every figure, instead of 5 (or 3)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of lines")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: numbers mean nothing")
    parser.add_argument("--cache", type=Path, help="an existing folder for the grown databases")
    return parser


def _names(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in FIGURE_BY_NAME:
            raise argparse.ArgumentTypeError(f"no figure is named {name!r}")
    return names


def _sizes(options: argparse.Namespace) -> Sizes:
    sizes = QUICK if options.quick else FULL
    if options.rounds is None:
        return sizes
    return msgspec.structs.replace(sizes, rounds=options.rounds, heavy_rounds=options.rounds)


if __name__ == "__main__":
    sys.exit(main())
