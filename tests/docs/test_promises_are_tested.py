"""The promises in `docs/security.md`: each is named by a test."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_each_promise_is_named_by_a_test_and_no_other_is() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    promises = set(re.findall(r"(?m)^(\d+)\. ", page.partition("## Ten promises")[2]))
    modules = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    named = {each for text in modules for each in re.findall(r"def test_promise_(\d+)_", text)}

    assert named == promises
    assert len(promises) == 10
