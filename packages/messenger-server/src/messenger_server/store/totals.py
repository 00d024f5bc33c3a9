"""Totals: how many there are beyond a page."""

from typing import NamedTuple

from messenger_core.limits import TOTAL_CAP


class Total(NamedTuple):
    """How many there are altogether."""

    number: int
    is_capped: bool
    """There are more."""


def capped(count: int) -> Total:
    """The total of a filter or a search, which is counted up to a limit alone."""
    return Total(min(count, TOTAL_CAP), is_capped=count > TOTAL_CAP)
