"""Text that somebody else wrote, made harmless for one line of our own.

Names, titles and subjects are stored as written; wherever one of them stands inside a line that a
model or a terminal reads, it goes through `one_line` first.
"""

import re
import unicodedata

from messenger_core.blank import is_blank as is_blank

_LINE_BREAKERS = frozenset({"Cc", "Zl", "Zp"})
"""Unicode categories of control characters (U+0085 too) and of line and paragraph separators."""

_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Direction marks and overrides, zero-width fillers and tag characters: they can make a line read
as something else than it says. The joiners U+200C and U+200D stay, Persian and emoji need them."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_TAG = re.compile(r"<([\s/!?\u200c\u200d]*[^\W\d][^<>]*)>")
_TAG_OPENING = re.compile(r"<(?=[\s/!?\u200c\u200d]*[^\W\d])")


def one_line(text: str, limit: int) -> str:
    """The text as part of one line: no control character, no line break, no host tag.

    Control characters and line separators become spaces, direction marks are dropped, what looks
    like a tag (`<system-reminder>`) loses its angle brackets, and spaces at both ends go.

    Args:
        text: anything, also text with lone surrogates.
        limit: the most characters that come back.
    """
    if text.isascii() and text.isprintable() and "<" not in text:
        return text.strip()[:limit].rstrip()
    spaced = "".join(
        " " if unicodedata.category(character) in _LINE_BREAKERS else character
        for character in _INVISIBLE.sub("", text)
    )
    return _without_tags(_SURROGATE.sub("\ufffd", spaced)).strip()[:limit].rstrip()


def _without_tags(text: str) -> str:
    # Taking one pair of brackets away can leave another one standing: `<<x>>`.
    previous = None
    while text != previous:
        previous = text
        text = _TAG.sub(r"\1", text)
    return _TAG_OPENING.sub("", text)
