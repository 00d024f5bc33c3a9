"""A world of simulated machines over a fresh state folder."""

from pathlib import Path

import pytest

from support.simulated_machines import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "state")
