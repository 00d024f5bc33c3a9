"""Processes that claim mailboxes at the same instant."""

import multiprocessing
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

from messenger_mcp.registry import Registry
from messenger_mcp.state_dir import StateDir
from support.simulated_machines import SERVER, named

_SECONDS = 60.0


def race(root: Path, *, processes: int, rounds: int) -> list[list[str | None]]:
    """What each of the processes was given, round by round; each round has its host session."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes)
    pipes = [context.Pipe(duplex=False) for _ in range(processes)]
    racers = [
        context.Process(target=_racer, args=(root, rounds, barrier, sender)) for _, sender in pipes
    ]
    for racer in racers:
        racer.start()
    try:
        given = [_received(receiver) for receiver, _ in pipes]
        for racer in racers:
            racer.join(_SECONDS)
    finally:
        for racer in racers:
            racer.kill()
            racer.join()
            racer.close()
    return [list(addresses) for addresses in zip(*given, strict=True)]


def _received(receiver: Connection) -> list[str | None]:
    if not receiver.poll(_SECONDS):
        raise TimeoutError("a racing process gave no answer")
    given: list[str | None] = receiver.recv()
    return given


def _racer(root: Path, rounds: int, barrier: Barrier, sender: Connection) -> None:
    given = []
    for number in range(rounds):
        registry = Registry(StateDir(root), SERVER, "project")
        barrier.wait(_SECONDS)
        given.append(registry.claim(named(f"session {number}")).own)
    # Nobody leaves before all have claimed: a dead winner's mailbox would be free again.
    barrier.wait(_SECONDS)
    sender.send(given)
