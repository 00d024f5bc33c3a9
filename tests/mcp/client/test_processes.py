"""Process marks: the same pid is the same process only with the same start time."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from messenger_mcp.processes import (
    ProcessMark,
    is_alive,
    start_time,
    this_place,
    this_process,
)
from support.server_process import wait_until


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs until its stdin ends."""
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as process:
        yield process
        if process.poll() is None:
            process.kill()


def _mark(process: subprocess.Popen[bytes]) -> ProcessMark:
    return ProcessMark(pid=process.pid, started=start_time(process.pid), place=this_place())


def test_this_process_is_alive_and_knows_when_it_started() -> None:
    mark = this_process()

    assert mark.pid == os.getpid()
    assert mark.started is not None
    assert mark == this_process()
    assert is_alive(mark) is True


def test_a_process_is_alive_until_it_ends(child: subprocess.Popen[bytes]) -> None:
    mark = _mark(child)
    assert is_alive(mark) is True
    child.kill()
    child.wait(5)

    assert is_alive(mark) is False
    assert start_time(child.pid) is None


def test_a_process_that_ended_and_was_not_waited_for_has_no_start_time(
    child: subprocess.Popen[bytes],
) -> None:
    child.kill()
    wait_until(lambda: start_time(child.pid) is None)

    assert child.wait(5) != 0


def test_the_same_pid_with_another_start_time_is_dead() -> None:
    assert is_alive(replace(this_process(), started="1")) is False


def test_a_process_whose_start_time_was_never_known_counts_by_its_pid() -> None:
    assert is_alive(replace(this_process(), started=None)) is True


def test_a_process_of_another_place_cannot_be_looked_up() -> None:
    assert is_alive(replace(this_process(), place="elsewhere")) is None


@pytest.mark.parametrize("pid", [0x7FFFFFFF, 2**70])
def test_a_pid_that_cannot_be_is_dead(pid: int) -> None:
    assert is_alive(ProcessMark(pid=pid, started="1", place=this_place())) is False
