"""Sets the version of one wheel, and the range by which the other two name it.

    python tools/bump_version.py messenger-core 0.2.0

Writes `version` in the wheel's pyproject.toml, `__version__` in its package, and in the siblings
that depend on it a range from this minor version up to the next one that may break. `tools/uv lock`
and the changelog are left to the caller, who is reminded of them.
"""

import re
import sys
from pathlib import Path

WHEELS = ("messenger-core", "messenger-server", "messenger-mcp")
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)((a|b|rc)\d+)?")
OWN_VERSION = re.compile(r'^version = "[^"]*"$', re.MULTILINE)
PACKAGE_VERSION = re.compile(r'^__version__ = "[^"]*"$', re.MULTILINE)


class WrongUse(Exception):
    """What was asked for makes no sense; the text says why."""


def bump(root: Path, wheel: str, version: str) -> list[Path]:
    """Rewrites the files under a checkout; gives the ones that changed, in no particular order.

    Raises `WrongUse` for an unknown wheel, a version that is none, and a file without the line.
    """
    if wheel not in WHEELS:
        raise WrongUse(f"unknown wheel {wheel!r}: one of {', '.join(WHEELS)}")
    wanted_range = compatible_range(version)
    edits = [
        (root / "packages" / wheel / "pyproject.toml", OWN_VERSION, f'version = "{version}"'),
        (package_init(root, wheel), PACKAGE_VERSION, f'__version__ = "{version}"'),
    ]
    changed = [path for path, line, text in edits if _replace(path, line, text, needed=True)]
    requirement = re.compile(rf'"{wheel}[><=~][^"]*"')
    for sibling in WHEELS:
        path = root / "packages" / sibling / "pyproject.toml"
        if sibling != wheel and _replace(path, requirement, f'"{wheel}{wanted_range}"'):
            changed.append(path)
    return changed


def package_init(root: Path, wheel: str) -> Path:
    """The file that holds a wheel's `__version__`."""
    package = wheel.replace("-", "_")
    return root / "packages" / wheel / "src" / package / "__init__.py"


def compatible_range(version: str) -> str:
    """The versions that keep this one's promises: `>=0.1,<0.2` for 0.1.4, `>=1.2,<2` for 1.2.0."""
    parts = VERSION.fullmatch(version)
    if parts is None:
        raise WrongUse(f"{version!r} is no version: write it like 0.2.0 or 0.2.0rc1")
    major, minor = int(parts[1]), int(parts[2])
    # A pre-release lies below its own version, so it must be named itself.
    floor = version if parts[4] else f"{major}.{minor}"
    return f">={floor},<{major + 1}" if major else f">={floor},<0.{minor + 1}"


def _replace(path: Path, line: re.Pattern[str], text: str, *, needed: bool = False) -> bool:
    before = path.read_text(encoding="utf-8")
    after, count = line.subn(text, before)
    if needed and count != 1:
        raise WrongUse(f"{path} holds {count} lines like {line.pattern}: there must be one")
    if after != before:
        path.write_text(after, encoding="utf-8")
    return after != before


def main(arguments: list[str]) -> int:
    """Runs the command; gives its exit code."""
    if len(arguments) != 2:
        print(f"usage: bump_version.py WHEEL VERSION (a wheel is one of {', '.join(WHEELS)})")
        return 2
    root = Path(__file__).resolve().parent.parent
    try:
        changed = bump(root, *arguments)
    except WrongUse as refusal:
        print(refusal, file=sys.stderr)
        return 2
    for path in changed:
        print(f"changed {path.relative_to(root)}")
    print("next: tools/uv lock, and a section in CHANGELOG.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
