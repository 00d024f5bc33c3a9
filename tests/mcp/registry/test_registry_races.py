"""Two processes that claim at the same instant never both get a mailbox."""

from pathlib import Path

from messenger_mcp.registry import Registry
from messenger_mcp.state_dir import StateDir
from support.registry_racer import race
from support.simulated_machines import SERVER, named


def test_of_racing_processes_exactly_one_gets_the_orphan(tmp_path: Path) -> None:
    processes, rounds = 6, 40
    for number in range(rounds):
        registry = Registry(StateDir(tmp_path), SERVER, "project")
        registry.claim(named(f"session {number}"))
        registry.record_new(f"box_{number}")
        registry.close()

    given = race(tmp_path, processes=processes, rounds=rounds)

    for number, addresses in enumerate(given):
        assert sorted(addresses, key=str) == [*[None] * (processes - 1), f"box_{number}"]
