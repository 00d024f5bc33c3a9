"""Made-up text: pseudo-words with the frequencies of a language, the same on every machine."""

import itertools
import random
from typing import Final

MARKED_WORD: Final = "lighthouse"
"""Stands in one body of ten: what `grow_search` looks for."""

_SEED: Final = 20_261
_VOCABULARY_WORDS: Final = 5000
_CONSONANTS: Final = "bcdfghjklmnprstvw"
_VOWELS: Final = "aeiou"


class Writer:
    """Writes subjects and bodies, the same ones for the same seed."""

    def __init__(self, seed: int = _SEED) -> None:
        self._random = random.Random(seed)  # noqa: S311 - text for a load, not a secret
        self._words = [self._word() for _ in range(_VOCABULARY_WORDS)]
        self._weights = list(
            itertools.accumulate(1 / (rank + 10) for rank in range(_VOCABULARY_WORDS))
        )

    def body(self, characters: int) -> str:
        """A body of about this many characters, in sentences; one of ten holds `MARKED_WORD`."""
        words = self._random.choices(
            self._words, cum_weights=self._weights, k=max(2, characters // 7)
        )
        if self._random.random() < 0.1:
            words[self._random.randrange(len(words))] = MARKED_WORD
        lines = [" ".join(words[start : start + 12]) for start in range(0, len(words), 12)]
        text = ".\n".join(lines)
        return (text + " and so on" * (1 + (characters - len(text)) // 10))[:characters]

    def subject(self) -> str:
        """A subject of four words."""
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=4))

    def _word(self) -> str:
        syllables = self._random.choice((2, 2, 3, 3, 4))
        return "".join(
            self._random.choice(_CONSONANTS) + self._random.choice(_VOWELS)
            for _ in range(syllables)
        )
