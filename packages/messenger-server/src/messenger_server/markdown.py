"""Markdown: what the server makes of the text of a message."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from messenger_core.limits import PREVIEW_MAX_CHARS, PREVIEW_SOURCE_CHARS

_HEAD_CHARS: Final = 2 * PREVIEW_MAX_CHARS
_MARKUP: Final = re.compile(
    r"[\\`*\[\]<|]"  # escapes, code, emphasis, links, tags, tables
    r"|~~|&[#\w]"  # strikethrough, entities
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis again; not snake_case
    r"|^[ \t]*(?:[#>+=-]|\d{1,9}[.)])",  # headings, quotes, lists, rules
    re.MULTILINE,
)
"""Whatever may be more than plain text."""
_BREAKS: Final = ("softbreak", "hardbreak")


def preview(body: str) -> str:
    """One plain line of at most 200 characters: the beginning of a body without its markup."""
    source = body[:PREVIEW_SOURCE_CHARS]
    line = _plain_beginning(source)
    if line is None:
        line = " ".join(" ".join(_texts(_parser().parse(source))).split())
    return line if len(line) <= PREVIEW_MAX_CHARS else line[: PREVIEW_MAX_CHARS - 1].rstrip() + "…"


def _plain_beginning(source: str) -> str | None:
    """Enough of a text for its preview, if that much of it is plain: the parser is spared.

    What follows cannot change what stands before it.
    """
    head = source[:_HEAD_CHARS]
    if _MARKUP.search(head):
        return None
    line = " ".join(head.split())
    if len(line) > PREVIEW_MAX_CHARS or len(head) == len(source):
        return line
    return None if _MARKUP.search(source) else " ".join(source.split())


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _texts(tokens: Iterable[Token]) -> Iterable[str]:
    """The readable text of each block, in order."""
    for token in tokens:
        if token.type == "inline":
            yield "".join(map(_inline_text, token.children or ()))
        elif token.type in ("fence", "code_block"):
            yield token.content


def _inline_text(token: Token) -> str:
    if token.type in _BREAKS:
        return " "
    # Of an image the children are what it is described by.
    return "".join(map(_inline_text, token.children)) if token.children else token.content
