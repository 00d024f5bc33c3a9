"""A preview is one plain line: the beginning of a body without its markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_core.limits import PREVIEW_MAX_CHARS
from messenger_server.markdown import preview


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("plain", "plain"),
        ("two\nlines\r\n\r\nand  spaces\t", "two lines and spaces"),
        ("# Title\n\ntext", "Title text"),
        ("Title\n=====\ntext", "Title text"),
        ("*a* **b** _c_ __d__ ~~e~~", "a b c d e"),
        ("snake_case and well-known 2*3", "snake_case and well-known 2*3"),
        ("- one\n- two\n\n1. three", "one two three"),
        ("> quoted\n> text", "quoted text"),
        ("[link](http://host/path) <http://auto>", "link http://auto"),
        ("![the picture](x.png)", "the picture"),
        ("`code` and\n```py\nprint(1)\n```", "code and print(1)"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
        ("fish &amp; chips", "fish & chips"),
        (r"\*not emphasis\*", "*not emphasis*"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("---", ""),
        ("   ", ""),
        (" \n" * 500 + "text", "text"),
    ],
)
def test_markup_is_removed(body: str, line: str) -> None:
    assert preview(body) == line


@pytest.mark.parametrize("body", ["word " * 1000, "*word* " * 1000, "x" * 256_000])
def test_a_long_body_is_cut(body: str) -> None:
    line = preview(body)
    assert PREVIEW_MAX_CHARS - 10 <= len(line) <= PREVIEW_MAX_CHARS
    assert line.endswith("…")


def test_markup_that_comes_after_the_beginning_changes_nothing() -> None:
    beginning = "word " * 100
    assert preview(beginning + "\n\n# *x*") == preview(beginning)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_has_a_preview_of_one_line(body: str) -> None:
    line = preview(body)
    assert len(line) <= PREVIEW_MAX_CHARS
    assert len(line.splitlines()) <= 1
    assert line == line.strip()
