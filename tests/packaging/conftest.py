"""The wheels are built once, and each is installed once, for all tests of this folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.installed_wheels import Installed, build_wheels, install_wheel


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each wheel's file by its name, built from this checkout."""
    return build_wheels(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def install(
    wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Installed]:
    """Gives the environment that holds one wheel alone; the same one each time it is asked for."""
    made: dict[str, Installed] = {}

    def install(wheel: str) -> Installed:
        if wheel not in made:
            made[wheel] = install_wheel(wheel, wheels, tmp_path_factory.mktemp(wheel))
        return made[wheel]

    return install
