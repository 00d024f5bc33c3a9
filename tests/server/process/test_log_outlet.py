"""A reader of the log that stops reading costs lines, never the server."""

import os
import sys
import time
from collections.abc import Iterator

import pytest

from messenger_server.log_outlet import StderrOutlet

if sys.platform == "win32":
    pytest.skip("only sockets tell whether they have room there", allow_module_level=True)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The reading end of a pipe that is stderr for the test."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(sys, "__stderr__", stream)
        yield reading
        monkeypatch.undo()
    os.close(reading)


def test_a_full_pipe_drops_lines_and_says_how_many(reader: int) -> None:
    outlet = StderrOutlet()
    begun = time.monotonic()

    for number in range(1000):
        outlet.write([f"{number:04d} " + "x" * 994])

    assert time.monotonic() - begun < 2
    kept = os.read(reader, 10_000_000).decode()
    outlet.write(["again"])
    told, again = os.read(reader, 10_000).decode().splitlines()[-2:]
    assert kept.startswith("0000 ")
    assert told == f"log lines dropped, because nobody read them: {1000 - kept.count(chr(10))}"
    assert again == "again"


def test_a_line_longer_than_the_pipe_does_not_block(reader: int) -> None:
    outlet = StderrOutlet()
    outlet.write(["y" * 1_000_000])
    assert len(os.read(reader, 10_000_000)) < 1_000_000
    outlet.write(["after"])
    assert "because nobody read them: 1\n" in os.read(reader, 10_000).decode()
