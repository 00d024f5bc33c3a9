"""What a wheel imports is what it declares: nothing comes along by luck of another one."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED_ONLY = {"messenger-server": {"httptools"}}
"""Libraries that are chosen by name and never imported by us: uvicorn's HTTP parser."""


def _imported(wheel: str) -> set[str]:
    """The distributions of every import in a wheel's sources."""
    names: set[str] = set()
    for path in (ROOT / "packages" / wheel / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    distributions = packages_distributions()
    own = wheel.replace("-", "_")
    third_party = names - set(sys.stdlib_module_names) - {own}
    # A sibling that is installed from its sources is not in that table: its name is its own.
    return {_distribution(distributions.get(name, [name]), wheel) for name in third_party}


def _distribution(found: list[str], wheel: str) -> str:
    """The one that brings an import; of several that share a name, the one that is declared."""
    names = [_plain(name) for name in found]
    return next((name for name in names if name in _declared(wheel)), names[0])


def _declared(wheel: str) -> set[str]:
    text = (ROOT / "packages" / wheel / "pyproject.toml").read_text(encoding="utf-8")
    lines = tomllib.loads(text)["project"]["dependencies"]
    return {_plain(re.split(r"[^A-Za-z0-9._-]", line)[0]) for line in lines}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("wheel", ["messenger-core", "messenger-server", "messenger-mcp"])
def test_a_wheel_declares_exactly_what_it_imports(wheel: str) -> None:
    assert _declared(wheel) == _imported(wheel) | NAMED_ONLY.get(wheel, set())
