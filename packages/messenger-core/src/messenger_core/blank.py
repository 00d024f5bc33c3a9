"""Blank text: names of which a reader sees nothing count as none."""

import re
import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f"
    "\U000e0100-\U000e01ef]"
)
"""Letters and marks that show nothing: Hangul fillers, the empty Braille cell, selectors."""


def is_blank(text: str) -> bool:
    """Whether nothing of the text can be seen: it is empty, or all spaces and fillers."""
    return all(unicodedata.category(character) in _UNSEEN for character in _FILLERS.sub("", text))


def unless_blank(name: str | None) -> str | None:
    """The name as it was given; `None` when nothing of it can be seen."""
    return None if name is None or is_blank(name) else name
