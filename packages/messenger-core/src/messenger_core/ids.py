"""Identifiers: their prefixes, how they are made and how they are recognised.

Every identifier is opaque: a prefix that says what it names, then random lower-case hexadecimal
digits. The server alone makes them.
"""

import re
import secrets
import unicodedata

from messenger_core.limits import ADDRESS_MAX_CHARS, SLUG_MAX_CHARS

_RANDOM_BYTES = 8
"""64 random bits: a million messages collide with a chance of one in 37 million."""

_BOX = re.compile(r"box_[0-9a-f]{16}")
_FIXED = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_NO_SLUG = re.compile(r"[^a-z0-9]+")


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


def slugify(name: str) -> str:
    """The slug of a name: lower-case Latin letters and digits, joined by hyphens.

    A name in another script is spelled by its code points. Empty when the name holds neither letter
    nor digit. Source: the open protocol, §2.
    """
    decomposed = unicodedata.normalize("NFKD", name)
    bare = "".join(c for c in decomposed if not unicodedata.combining(c)).lower()
    slug = _NO_SLUG.sub("-", bare)[:SLUG_MAX_CHARS].strip("-")
    if slug:
        return slug
    letters = (c for c in unicodedata.normalize("NFC", bare) if c.isalnum())
    return "-".join(f"{ord(c):x}" for c in letters)[:SLUG_MAX_CHARS].strip("-")


def agent_address(agent_name: str) -> str:
    """The fixed address that an agent's bound keys reserve; empty when its name gives no slug."""
    return slugify(agent_name)[:ADDRESS_MAX_CHARS].strip("-")


def _new(prefix: str) -> str:
    return prefix + secrets.token_hex(_RANDOM_BYTES)
