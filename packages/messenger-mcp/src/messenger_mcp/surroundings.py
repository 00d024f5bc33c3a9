"""What the registry asks of the machine: the time, who this process is, who else still runs."""

import time
from typing import Protocol

from messenger_core import times
from messenger_mcp import processes
from messenger_mcp.processes import ProcessMark


class Surroundings(Protocol):
    """The clocks and the process table, as seen by one process."""

    process: ProcessMark
    """The process itself."""

    def now_ms(self) -> int:
        """The wall clock, in milliseconds since 1970; it may jump either way."""

    def awake_ms(self) -> int:
        """Milliseconds that this kernel has been awake: never jumps, means nothing elsewhere."""

    def is_alive(self, mark: ProcessMark) -> bool | None:
        """Whether a process runs; `None` when it cannot be looked up from here."""


class ThisMachine:
    """The real surroundings of the process that asks."""

    def __init__(self) -> None:
        self.process = processes.this_process()

    def now_ms(self) -> int:
        """The wall clock."""
        return times.now_ms()

    def awake_ms(self) -> int:
        """The monotonic clock, which processes of one kernel share."""
        return time.monotonic_ns() // 1_000_000

    def is_alive(self, mark: ProcessMark) -> bool | None:
        """A look at the process table."""
        return processes.is_alive(mark)


def share_kernel(one: ProcessMark, other: ProcessMark) -> bool:
    """Whether two processes run under one kernel since one boot, in whichever containers."""
    kernels = [mark.place.partition("/") for mark in (one, other)]
    return all(slash for _, slash, _ in kernels) and kernels[0][0] == kernels[1][0]
