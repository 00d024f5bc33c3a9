"""Access: API keys as the person who makes them sees them, and the console's one account."""

import unicodedata
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from messenger_core import limits
from messenger_core.wire.common import Description, Mailbox, Request, Response, refuse_blank

_COMPOSED_FROM_MAX: Final = 4
"""So many characters at most are one when they are composed, and one is so many.

Source: UAX #15, the maximum expansion factors.
"""

KeyState = Literal["active", "expired", "revoked"]
"""A replaced key counts as revoked once its time of overlap has passed."""

KeyName = Annotated[str, Meta(min_length=1, max_length=limits.KEY_NAME_MAX_CHARS)]
BoundAgentName = Annotated[str, Meta(min_length=1, max_length=limits.AGENT_NAME_MAX_CHARS)]
Vendor = Annotated[str, Meta(min_length=1, max_length=limits.VENDOR_MAX_CHARS)]
LifetimeDays = Annotated[int, Meta(ge=1, le=limits.KEY_LIFETIME_MAX_DAYS)]
Username = Annotated[str, Meta(min_length=1, max_length=limits.USERNAME_MAX_CHARS)]
NewPassword = Annotated[
    str,
    Meta(
        extra_json_schema={
            "minLength": limits.PASSWORD_MIN_CHARS,
            "maxLength": limits.PASSWORD_MAX_CHARS,
        }
    ),
]
"""Counted as it is hashed, that is, composed."""
Guess = Annotated[str, Meta(max_length=limits.PASSWORD_MAX_CHARS)]
"""What somebody says a name or a code is: too short is only wrong."""
PasswordGuess = Annotated[str, Meta(max_length=limits.PASSWORD_MAX_CHARS * _COMPOSED_FROM_MAX)]
"""What somebody says the password is, however a keyboard composes it."""

_MUST_SHOW: Final = frozenset({"name", "agent_name", "vendor", "username"})


def composed(password: str) -> str:
    """The one form of a password, however a keyboard composes it: this is what is hashed."""
    return unicodedata.normalize("NFC", password)


class _Named(Request, frozen=True, kw_only=True):
    """A request whose names a person must be able to see."""

    def __post_init__(self) -> None:
        """Refuses blank names.

        Raises:
            ValueError: names the field; the decoder turns it into its own error.
        """
        super().__post_init__()
        for name in _MUST_SHOW.intersection(self.__struct_fields__):
            value = getattr(self, name)
            if isinstance(value, str):
                refuse_blank(name, value)


class NewKey(_Named, frozen=True, kw_only=True, omit_defaults=True):
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


class KeyDetail(Key, frozen=True, kw_only=True):
    """An API key with the mailboxes that it registered last."""

    mailboxes: list[Mailbox]


class ChangeKey(_Named, frozen=True, kw_only=True, omit_defaults=True):
    """What changes of a key; absent leaves it."""

    name: KeyName | UnsetType = UNSET
    agent_description: Description | UnsetType | None = UNSET
    """Carried to the mailboxes that it registered last; empty or `null` clears it."""
    can_send: bool | UnsetType = UNSET
    relay: bool | UnsetType = UNSET
    """One key at a time is the relay: another one stops to be."""


class ExtendKey(Request, frozen=True, kw_only=True):
    """How much longer a key is good."""

    days: LifetimeDays | None
    """Counted from the later of now and its expiry; `null`: it never expires."""


class Setup(_Named, frozen=True, kw_only=True):
    """What makes the account: whoever reads the server's log may."""

    code: Guess
    username: Username
    password: NewPassword

    def __post_init__(self) -> None:
        """Refuses a blank name, and a password that is too short, too long or blank.

        Raises:
            ValueError: names the field; the decoder turns it into its own error.
        """
        super().__post_init__()
        _refuse_password("password", self.password)


class Login(Request, frozen=True, kw_only=True, omit_defaults=True):
    """A sign-in."""

    username: Guess
    password: PasswordGuess
    remember: bool = False
    """For 30 days, else for 12 hours and until the browser closes."""


class RenameAccount(_Named, frozen=True, kw_only=True):
    """The account's new name."""

    username: Username


class ChangePassword(Request, frozen=True, kw_only=True):
    """A new password, by somebody who knows the old one."""

    current_password: PasswordGuess
    new_password: NewPassword

    def __post_init__(self) -> None:
        """Refuses a new password that is too short, too long or blank.

        Raises:
            ValueError: names the field; the decoder turns it into its own error.
        """
        super().__post_init__()
        _refuse_password("new_password", self.new_password)


class ConsoleIdentity(Response, frozen=True, kw_only=True):
    """Who is signed in."""

    username: str


class SignedIn(Response, frozen=True, kw_only=True):
    """A sign-in that succeeded."""

    user: ConsoleIdentity


class ConsoleState(Response, frozen=True, kw_only=True):
    """What the console's page has to show first."""

    authenticated: bool
    setup_required: bool
    """There is no account yet."""
    user: ConsoleIdentity | None


class ConsoleSession(Response, frozen=True, kw_only=True):
    """A browser that is signed in."""

    id: str
    current: bool
    """It is the one that asks."""
    created_at: str
    last_seen_at: str
    expires_at: str
    address: str | None
    """The network address that it signed in from."""
    user_agent: str | None


class Account(Response, frozen=True, kw_only=True):
    """The console's account and who is signed in, newest first."""

    username: str
    created_at: str
    sessions: list[ConsoleSession]


def _refuse_password(name: str, password: str) -> None:
    """Refuses a new password by the form that is hashed.

    Raises:
        ValueError: it is too short, too long, or nothing of it can be seen.
    """
    longest = limits.PASSWORD_MAX_CHARS
    # First as it came: composing takes long where there is no end of marks.
    if len(password) > longest * _COMPOSED_FROM_MAX or len(composed(password)) > longest:
        raise ValueError(f"`{name}` must have at most {longest} characters")
    if len(composed(password)) < limits.PASSWORD_MIN_CHARS:
        raise ValueError(f"`{name}` must have at least {limits.PASSWORD_MIN_CHARS} characters")
    refuse_blank(name, password)
