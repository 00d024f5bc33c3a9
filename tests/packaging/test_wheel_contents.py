"""What stands in the three wheel files."""

import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from messenger_core import __version__ as core_version
from messenger_mcp import __version__ as mcp_version
from messenger_server import __version__ as server_version

VERSIONS = {
    "messenger-core": core_version,
    "messenger-server": server_version,
    "messenger-mcp": mcp_version,
}
every_wheel = pytest.mark.parametrize("wheel", sorted(VERSIONS))


def _names(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def _text(path: Path, ending: str) -> str:
    with zipfile.ZipFile(path) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(ending))
        return archive.read(name).decode("utf-8")


def _metadata(path: Path) -> Message:
    return Parser().parsestr(_text(path, ".dist-info/METADATA"))


@every_wheel
def test_a_wheel_holds_every_file_of_its_package_and_no_other(
    wheels: dict[str, Path], wheel: str
) -> None:
    source = Path(__file__).resolve().parents[2] / "packages" / wheel / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    held = {
        name
        for name in _names(wheels[wheel])
        if ".dist-info/" not in name and not name.endswith("/")
    }

    assert held == wanted


@every_wheel
def test_a_wheel_is_typed_and_carries_its_licence(wheels: dict[str, Path], wheel: str) -> None:
    names = _names(wheels[wheel])

    assert f"{wheel.replace('-', '_')}/py.typed" in names
    assert "ISC License" in _text(wheels[wheel], ".dist-info/licenses/LICENSE")
    assert _metadata(wheels[wheel])["License-Expression"] == "ISC"


@every_wheel
def test_a_wheel_says_its_own_version_and_the_python_it_needs(
    wheels: dict[str, Path], wheel: str
) -> None:
    metadata = _metadata(wheels[wheel])

    assert metadata["Name"] == wheel
    assert metadata["Version"] == VERSIONS[wheel]
    assert metadata["Requires-Python"] == ">=3.11"


def test_core_carries_its_migrations(wheels: dict[str, Path]) -> None:
    names = _names(wheels["messenger-core"])

    assert "messenger_core/alembic.ini" in names
    assert "messenger_core/migrations/env.py" in names
    assert "messenger_core/migrations/script.py.mako" in names
    assert "messenger_core/migrations/versions/0001_whole_schema.py" in names


@pytest.mark.parametrize("wheel", ["messenger-server", "messenger-mcp"])
def test_server_and_client_name_core_by_a_range_and_not_each_other(
    wheels: dict[str, Path], wheel: str
) -> None:
    required = _metadata(wheels[wheel]).get_all("Requires-Dist", [])

    siblings = [line for line in required if line.startswith("messenger")]

    assert siblings == ["messenger-core>=0.1,<0.2"]


@pytest.mark.parametrize("wheel", ["messenger-server", "messenger-mcp"])
def test_the_command_is_named_like_its_wheel(wheels: dict[str, Path], wheel: str) -> None:
    entry_points = _text(wheels[wheel], ".dist-info/entry_points.txt")

    assert f"{wheel} = {wheel.replace('-', '_')}.__main__:main" in entry_points
