"""`tools/bump_version.py` on a copy of the files that it changes."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with nothing but what carries a version."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "bump_version.py", tmp_path / "tools")
    for source in ROOT.glob("packages/*/pyproject.toml"):
        _copy(source, tmp_path)
    for source in ROOT.glob("packages/*/src/*/__init__.py"):
        _copy(source, tmp_path)
    return tmp_path


def _copy(source: Path, to: Path) -> None:
    target = to / source.relative_to(ROOT)
    target.parent.mkdir(parents=True)
    shutil.copy(source, target)


def _bump(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = checkout / "tools" / "bump_version.py"
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


def _project(checkout: Path, wheel: str) -> dict[str, object]:
    text = (checkout / "packages" / wheel / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    assert isinstance(project, dict)
    return project


def _core_range(checkout: Path, wheel: str) -> str:
    dependencies = _project(checkout, wheel)["dependencies"]
    assert isinstance(dependencies, list)
    (found,) = (line for line in dependencies if line.startswith("messenger-core"))
    return str(found)


def test_a_new_version_stands_in_the_wheel_and_in_its_package(checkout: Path) -> None:
    result = _bump(checkout, "messenger-mcp", "0.7.1")

    assert result.returncode == 0, result.stderr
    assert _project(checkout, "messenger-mcp")["version"] == "0.7.1"
    package = checkout / "packages/messenger-mcp/src/messenger_mcp/__init__.py"
    assert '__version__ = "0.7.1"' in package.read_text(encoding="utf-8")
    assert (
        _project(checkout, "messenger-core")["version"]
        == _project(ROOT, "messenger-core")["version"]
    )


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("0.2.0", "messenger-core>=0.2,<0.3"),
        ("0.2.7", "messenger-core>=0.2,<0.3"),
        ("0.3.0rc1", "messenger-core>=0.3.0rc1,<0.4"),
        ("1.4.2", "messenger-core>=1.4,<2"),
    ],
)
def test_the_siblings_name_core_by_a_range_that_keeps_its_promises(
    checkout: Path, version: str, wanted: str
) -> None:
    result = _bump(checkout, "messenger-core", version)

    assert result.returncode == 0, result.stderr
    assert _core_range(checkout, "messenger-server") == wanted
    assert _core_range(checkout, "messenger-mcp") == wanted


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("messenger-web", "0.2.0"), "'messenger-web'"),
        (("messenger-core", "two"), "'two' is no version"),
        (("messenger-core",), "usage"),
    ],
)
def test_a_wrong_use_changes_nothing_and_exits_2(
    checkout: Path, arguments: tuple[str, ...], said: str
) -> None:
    result = _bump(checkout, *arguments)

    assert result.returncode == 2
    assert said in result.stdout + result.stderr
    assert _project(checkout, "messenger-core") == _project(ROOT, "messenger-core")


def test_each_wheel_says_the_same_version_in_both_places() -> None:
    for package in ROOT.glob("packages/*/src/*/__init__.py"):
        wheel = package.parent.name.replace("_", "-")
        version = _project(ROOT, wheel)["version"]
        assert f'__version__ = "{version}"' in package.read_text(encoding="utf-8")
