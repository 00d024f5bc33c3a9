"""What the benchmark prints: one line a figure, or one JSON document."""

import os
import platform
import sqlite3
from typing import NamedTuple

import msgspec
from msgspec import Struct

from tools.bench.figures import Figure


class Round(NamedTuple):
    """One measurement with the floor taken beside it."""

    value: float
    floor: float | None = None

    @property
    def ratio(self) -> float | None:
        """Value ÷ floor; `None` for a figure without floor."""
        return None if self.floor is None else self.value / self.floor


class Machine(Struct, frozen=True, kw_only=True):
    """Where and when the numbers were taken."""

    cores: int
    load: tuple[float, float, float]
    """Average length of the run queue over 1, 5 and 15 minutes."""
    python: str
    sqlite: str
    system: str


class Result(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A figure as it came out."""

    name: str
    unit: str
    target: str
    value: float
    floor: float | None = None
    ratio: float | None = None
    met: bool
    note: str = ""
    """What else was seen."""
    rounds: list[Round] = []


class Report(Struct, frozen=True, kw_only=True):
    """The whole run, as `--json` prints it."""

    before: Machine
    after: Machine
    results: list[Result]


def machine() -> Machine:
    """This machine with its load of the moment."""
    return Machine(
        cores=os.cpu_count() or 1,
        load=os.getloadavg(),
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        system=f"{platform.system()} {platform.machine()}",
    )


def result_of(figure: Figure, rounds: list[Round], note: str = "") -> Result:
    """The figure's result: the round in the middle, so that value, floor and ratio belong together.

    Of an even number of rounds it is the worse one of the two in the middle.
    """
    by_number = sorted(rounds, key=lambda each: _judged(figure, each))
    if figure.target.relation == ">=":
        by_number.reverse()
    middle = by_number[len(by_number) // 2]
    return Result(
        name=figure.name,
        unit=figure.unit,
        target=_target_of(figure),
        value=middle.value,
        floor=middle.floor,
        ratio=middle.ratio,
        met=figure.target.is_met(_judged(figure, middle)),
        note=note,
        rounds=rounds,
    )


def machine_line(at: Machine) -> str:
    """The comment line that says where the numbers come from."""
    load = " ".join(f"{average:.2f}" for average in at.load)
    return f"# {at.cores} cores, load {load}, Python {at.python}, SQLite {at.sqlite}, {at.system}"


def result_line(result: Result) -> str:
    """`name value floor ratio`, then unit, target and verdict."""
    columns = [result.name, *map(_number, (result.value, result.floor, result.ratio))]
    verdict = "met" if result.met else "MISSED"
    note = f"  # {result.note}" if result.note else ""
    return f"{' '.join(columns)}  {result.unit} target {result.target} {verdict}{note}"


def json_document(report: Report) -> str:
    """The run as JSON, indented."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def _judged(figure: Figure, each: Round) -> float:
    if figure.target.of == "value":
        return each.value
    ratio = each.ratio
    assert ratio is not None, f"{figure.name} is judged by a ratio and has no floor"
    return ratio


def _target_of(figure: Figure) -> str:
    return f"{figure.target.of}{figure.target.relation}{figure.target.limit:g}"


def _number(number: float | None) -> str:
    if number is None:
        return "-"
    return f"{number:.0f}" if number >= 1000 else f"{number:.3g}"
