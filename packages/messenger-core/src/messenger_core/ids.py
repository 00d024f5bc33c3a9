"""Identifiers: their prefixes, how they are made and how they are recognised.

Every identifier is opaque: a prefix that says what it names, then random lower-case hexadecimal
digits. The server alone makes them.
"""

import re
import secrets

_RANDOM_BYTES = 8
"""64 random bits: a million messages collide with a chance of one in 37 million."""

_BOX = re.compile(r"box_[0-9a-f]{16}")
_FIXED = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


def new_mailbox_address() -> str:
    """A fresh `box_…` address."""
    return _new("box_")


def new_message_id() -> str:
    """A fresh `msg_…` identifier."""
    return _new("msg_")


def new_thread_id() -> str:
    """A fresh `thr_…` identifier."""
    return _new("thr_")


def new_attachment_id() -> str:
    """A fresh `att_…` identifier."""
    return _new("att_")


def new_link_id() -> str:
    """A fresh `lnk_…` identifier."""
    return _new("lnk_")


def new_key_id() -> str:
    """A fresh `key_…` identifier: the public name of an API key, not its secret."""
    return _new("key_")


def new_session_id() -> str:
    """A fresh `ses_…` identifier: the public name of a console session, not its secret."""
    return _new("ses_")


def is_box_address(text: str) -> bool:
    """Whether the text has the form of an address that the server gives."""
    return _BOX.fullmatch(text) is not None


def is_fixed_address(text: str) -> bool:
    """Whether the text has the form of an address that a person chose.

    Whatever starts with `box_` is not one: those are given by the server alone.
    """
    return not text.startswith("box_") and _FIXED.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """Whether the text has the form of any mailbox address."""
    return is_box_address(text) or is_fixed_address(text)


def _new(prefix: str) -> str:
    return prefix + secrets.token_hex(_RANDOM_BYTES)
