"""The project speaks of itself alone: no path or host of a machine that it was made on."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOOKED_AT = (".ci", "docs", "packages", "tests", "tools", "*.md", "pyproject.toml", ".env.example")

# Spelled in pieces, or this file would find itself.
FORBIDDEN = re.compile(
    r"(?<![\w.])/(?:ro" + r"ot|wo" + r"rk|opt/(?:py|uv|wh)\w*)/"
    r"|py" + r"pi\.org|pythonhos" + r"ted\.org",
)


def _texts() -> dict[str, str]:
    """Every text of the project, by its path in the checkout; caches and builds apart."""
    found = [path for pattern in LOOKED_AT for path in ROOT.glob(pattern)]
    found += [inner for path in found if path.is_dir() for inner in path.rglob("*")]
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8", errors="replace")
        for path in found
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_no_file_names_a_folder_of_a_machine_or_a_package_index() -> None:
    found = [
        f"{name}: {match[0]}"
        for name, text in _texts().items()
        for match in FORBIDDEN.finditer(text)
    ]

    assert found == []


def test_documents_sources_and_scripts_are_looked_at() -> None:
    wanted = {
        "README.md",
        "docs/architecture.md",
        "packages/messenger-core/src/messenger_core/ids.py",
        "pyproject.toml",
        "tools/test",
    }

    assert wanted <= set(_texts())
