"""Identifiers are made in one form, and recognised in that form alone."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_core import ids


@pytest.mark.parametrize(
    ("make", "prefix"),
    [
        (ids.new_mailbox_address, "box_"),
        (ids.new_message_id, "msg_"),
        (ids.new_thread_id, "thr_"),
        (ids.new_attachment_id, "att_"),
        (ids.new_link_id, "lnk_"),
        (ids.new_key_id, "key_"),
        (ids.new_session_id, "ses_"),
    ],
)
def test_an_identifier_is_its_prefix_and_sixteen_hexadecimal_digits(
    make: Callable[[], str], prefix: str
) -> None:
    made = {make() for _ in range(100)}
    assert len(made) == 100
    assert all(re.fullmatch(prefix + "[0-9a-f]{16}", identifier) for identifier in made)


def test_addresses_that_the_server_gives_are_recognised() -> None:
    assert ids.is_box_address(ids.new_mailbox_address())
    assert ids.is_address(ids.new_mailbox_address())
    assert not ids.is_fixed_address(ids.new_mailbox_address())


@pytest.mark.parametrize("address", ["a", "0", "bob", "bob-2", "a_b.c-d", "x" * 64, "boxer"])
def test_fixed_addresses_are_recognised(address: str) -> None:
    assert ids.is_fixed_address(address)
    assert ids.is_address(address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Bob",
        "-bob",
        ".bob",
        "bo b",
        "bob\n",
        "x" * 65,
        "böb",
        "box_",
        "box_1",
        "box_ABCDEF0123456789",
        "box_0123456789abcdef0",
        "BOX_0123456789abcdef",
        "bob@host",
        "a/b",
    ],
)
def test_what_is_no_address_is_not_taken_for_one(text: str) -> None:
    assert not ids.is_address(text)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Grokbot", "grokbot"),
        ("Project status check", "project-status-check"),
        ("  Ünïcode & Co. ", "unicode-co"),
        ("a" * 95 + "!b", "a" * 95),
        ("ﬁne №5", "fine-no5"),
        ("日本語", "65e5-672c-8a9e"),
        ("!!!", ""),
        ("", ""),
    ],
)
def test_a_slug_is_made_of_the_name(name: str, slug: str) -> None:
    assert ids.slugify(name) == slug


def test_an_agents_address_is_its_slug_cut_to_the_length_of_an_address() -> None:
    assert ids.agent_address("Grokbot") == "grokbot"
    assert ids.agent_address("a" * 63 + " b") == "a" * 63


@given(st.text())
def test_whatever_the_name_its_agent_address_is_a_fixed_address_or_nothing(name: str) -> None:
    address = ids.agent_address(name)
    assert address == "" or ids.is_fixed_address(address)
