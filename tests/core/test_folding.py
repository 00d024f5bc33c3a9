"""Folding: one form for every spelling that a reader takes for the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_core.folding import SearchTerm, fold, search_terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ÉTÉ", "ete"),
        ("e\u0301", "é"),
        ("Straße", "STRASSE"),
        ("ﬁn", "fin"),
        ("Ａｂｃ", "abc"),
        ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ("İstanbul", "istanbul"),
    ],
)
def test_spellings_of_one_word_are_folded_into_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_scripts_without_spaces_are_taken_apart() -> None:
    assert fold("日本語の本").split() == ["日", "本", "語", "の", "本"]
    assert fold("ok日本ok").split() == ["ok", "日", "本", "ok"]


def test_a_query_is_a_wish_for_each_word() -> None:
    assert search_terms("Foo-bar  été*") == [
        SearchTerm(("foo", "bar"), prefix=False),
        SearchTerm(("ete",), prefix=True),
    ]


@pytest.mark.parametrize("text", ["", "   ", "*", '"', "()*-^", "_ _", "\u0301"])
def test_a_query_without_a_word_wishes_for_nothing(text: str) -> None:
    assert search_terms(text) == []


@given(st.text())
def test_wishes_hold_nothing_that_an_engine_could_take_for_syntax(text: str) -> None:
    for term in search_terms(text):
        assert term.tokens
        assert all(token.isalnum() for token in term.tokens)


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)).split() == fold(text).split()
