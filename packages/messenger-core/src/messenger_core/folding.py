"""Folding of text for search: one form for every spelling that a reader takes for the same.

Both engines index what `index_text` gives and look for what `search_terms` gives, so they agree on
what a word is, whatever they would take for one themselves.
"""

import re
import unicodedata
from typing import NamedTuple

_SPACELESS = re.compile(
    "(["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"  # Han, further planes
    "])"
)
_NO_WORD = re.compile(
    r"[\W_"
    "\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3"  # letters to Python, marks to SQLite's older tables
    "]+"
)


class SearchTerm(NamedTuple):
    """One wish of a search: its tokens in sequence, the last one perhaps only begun."""

    tokens: tuple[str, ...]
    prefix: bool


def fold(text: str) -> str:
    """The text in the one form of all its spellings.

    Compatibility forms are unified, marks and case dropped, and a space stands around each
    character of a script that is written without spaces.
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return _SPACELESS.sub(r" \1 ", bare.casefold())


def index_text(text: str) -> str:
    """The text as it is indexed: folded, and of scripts beyond ASCII words alone."""
    folded = fold(text)
    # Every engine separates ASCII words at the same signs: most text is spared the second look.
    return folded if folded.isascii() else _NO_WORD.sub(" ", folded)


def search_terms(query: str) -> list[SearchTerm]:
    """The wishes of what a person typed: one for each word, to be met together.

    A trailing `*` makes a word a prefix; any other sign only separates. Empty when nothing that
    could be found was typed.
    """
    terms = []
    for word in query.split():
        tokens = tuple(_NO_WORD.sub(" ", fold(word)).split())
        if tokens:
            terms.append(SearchTerm(tokens, prefix=word.endswith("*")))
    return terms
