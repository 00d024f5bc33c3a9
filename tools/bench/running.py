"""What every group of figures needs: where it may write, how much it measures, and taking turns."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.bench.report import Round
from tools.bench.sizes import Sizes


class Bench(NamedTuple):
    """One run of the benchmark."""

    sizes: Sizes
    folder: Path
    """Temporary: databases and logs."""
    cache: Path
    """Where the grown databases stand: the temporary folder, or one that stays."""


async def in_turns(
    rounds: int, value: Callable[[], Awaitable[float]], floor: Callable[[], Awaitable[float]]
) -> list[Round]:
    """Takes value and floor in turns, each first in every other round: drift meets both alike."""
    taken = []
    for number in range(rounds):
        if number % 2:
            measured = await value()
            taken.append(Round(measured, await floor()))
        else:
            bottom = await floor()
            taken.append(Round(await value(), bottom))
    return taken


def percentile(samples: Sequence[float], share: float) -> float:
    """The sample below which this share of them lies."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
