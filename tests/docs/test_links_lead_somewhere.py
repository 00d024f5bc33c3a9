"""Links between the documents, and the scripts that they name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@every_page
def test_a_link_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    files = [target for target in targets if "://" not in target]

    assert [target for target in files if not (page.parent / target).is_file()] == []


@every_page
def test_a_script_that_a_page_names_is_there(page: Path) -> None:
    scripts = set(re.findall(r"(?<![\w/.])tools/[a-z_]+(?:\.py)?", page.read_text("utf-8")))

    assert [name for name in scripts if not (ROOT / name).exists()] == []


def test_every_page_of_the_documents_is_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = {str(page.relative_to(ROOT)) for page in PAGES if page.parent != ROOT}

    assert sorted(name for name in pages if f"({name})" not in readme) == []
