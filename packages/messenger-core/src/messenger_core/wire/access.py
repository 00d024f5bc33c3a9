"""Access: API keys as the person who makes them sees them."""

from typing import Annotated, Literal

from msgspec import Meta

from messenger_core import limits
from messenger_core.wire.common import Description, Request, Response

KeyState = Literal["active", "expired", "revoked"]
"""A replaced key counts as revoked once its time of overlap has passed."""

KeyName = Annotated[str, Meta(min_length=1, max_length=limits.KEY_NAME_MAX_CHARS)]
BoundAgentName = Annotated[str, Meta(min_length=1, max_length=limits.AGENT_NAME_MAX_CHARS)]
Vendor = Annotated[str, Meta(min_length=1, max_length=limits.VENDOR_MAX_CHARS)]
LifetimeDays = Annotated[int, Meta(ge=1, le=limits.KEY_LIFETIME_MAX_DAYS)]


class NewKey(Request, frozen=True, kw_only=True, omit_defaults=True):
    """The key that is wanted."""

    name: KeyName
    agent_name: BoundAgentName | None
    """The agent whose mailboxes it opens; `null`: it opens every mailbox."""
    lifetime_days: LifetimeDays | None
    """`null`: it never expires."""
    agent_description: Description | None = None
    can_send: bool = True
    vendor: Vendor | None = None
    relay: bool = False


class Key(Response, frozen=True, kw_only=True):
    """An API key without its secret."""

    id: str
    name: str
    start: str
    """The first characters of the secret, to recognise it by."""
    end: str
    """Its last characters."""
    agent_name: str | None
    agent_description: str | None
    can_send: bool
    vendor: str | None
    relay: bool
    created_at: str
    expires_at: str | None
    """`null`: it never expires."""
    last_used_at: str | None
    state: KeyState
    replaced_by: str | None
    """The id of the key that replaced it."""
    accepted_until: str | None
    """A replaced key is good until then."""


class Keys(Response, frozen=True, kw_only=True):
    """All keys, newest first."""

    keys: list[Key]


class CreatedKey(Response, frozen=True, kw_only=True):
    """A new key with its secret: shown once, here alone."""

    key: Key
    secret: str
