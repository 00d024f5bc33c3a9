"""Machines, containers and clocks that a test moves by hand, as the registry sees them."""

import hashlib
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from messenger_mcp.processes import ProcessMark
from messenger_mcp.registry import Registry
from messenger_mcp.session_identity import HostSession
from messenger_mcp.state_dir import StateDir

HOME = "kernel-a/pid:1"
CONTAINER = "kernel-a/pid:2"
ELSEWHERE = "kernel-b/pid:1"
SERVER = "http://127.0.0.1:3600"


class World:
    """Processes and clocks over one state folder."""

    def __init__(self, root: Path) -> None:
        self.state = StateDir(root)
        self.now_ms = 1_800_000_000_000
        self.awake_ms = 5_000_000
        self.running: set[ProcessMark] = set()
        self._pids = count(1000)
        self._starts = count(1)

    def process(self, place: str = HOME, pid: int | None = None) -> "SimulatedProcess":
        """A process that has just started."""
        mark = ProcessMark(
            pid=pid or next(self._pids), started=str(next(self._starts)), place=place
        )
        self.running.add(mark)
        return SimulatedProcess(self, mark)

    def session(
        self,
        host_session: str | None = None,
        *,
        project: str | None = "project",
        server: str = SERVER,
        place: str = HOME,
        new: str | None = None,
    ) -> "Session":
        """A session that has claimed its mailbox; `new`: what the server gives it otherwise."""
        process = self.process(place)
        registry = Registry(self.state, server, project, process)
        claim = registry.claim(named(host_session))
        if claim.working is None and new is not None:
            registry.record_new(new)
        return Session(registry, process)

    def pass_time(self, seconds: float) -> None:
        """Lets time pass, on every clock and for every file."""
        self.now_ms += int(seconds * 1000)
        self.awake_ms += int(seconds * 1000)
        for path in self.entry_files():
            status = path.stat()
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - int(seconds * 1e9)))

    def jump(self, seconds: float) -> None:
        """Sets the wall clock, while no time passes."""
        self.now_ms += int(seconds * 1000)

    def entry_files(self) -> Iterator[Path]:
        """The registry's entries."""
        return self.state.files("mailboxes", ".json")

    def only_entry(self) -> Path:
        """The registry's one entry."""
        (path,) = self.entry_files()
        return path


class SimulatedProcess:
    """What one process sees of the world."""

    def __init__(self, world: World, mark: ProcessMark) -> None:
        self.process = mark
        self._world = world

    def now_ms(self) -> int:
        """The wall clock, the same on every machine."""
        return self._world.now_ms

    def awake_ms(self) -> int:
        """The kernel's clock; another kernel counts from elsewhere."""
        return self._world.awake_ms + (0 if self.process.place.startswith("kernel-a") else 77)

    def is_alive(self, mark: ProcessMark) -> bool | None:
        """A look at the process table of this place."""
        return mark in self._world.running if mark.place == self.process.place else None

    def die(self) -> None:
        """Ends the process without a word."""
        self._world.running.discard(self.process)


class Session:
    """A session that runs: its registry and its process."""

    def __init__(self, registry: Registry, process: SimulatedProcess) -> None:
        self.registry = registry
        self.process = process

    @property
    def own(self) -> str | None:
        """Its own mailbox."""
        return self.registry.own

    @property
    def working(self) -> str | None:
        """The mailbox it works."""
        return self.registry.working

    def die(self) -> None:
        """Ends it without a word."""
        self.process.die()

    def close(self) -> None:
        """Ends it in order."""
        self.registry.close()
        self.process.die()


def named(host_session: str | None) -> HostSession | None:
    """A host's session of this id."""
    if host_session is None:
        return None
    return HostSession(hashlib.sha256(host_session.encode()).hexdigest(), "A_VARIABLE")
