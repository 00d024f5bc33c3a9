"""The client's settings: read from the environment, complete and checked before anything starts.

A watcher that finds a hand-off needs the local half alone; a session needs both.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from messenger_core import limits
from messenger_core.ids import is_address
from messenger_core.wire.common import refuse_unstorable

DEFAULT_TIMEOUT_MS = 15_000
TIMEOUT_MAX_MS = 3_600_000
DEFAULT_STATE_DIR = "~/.mcp-messenger"

_KEY = re.compile(r"mk_[!-~]{1,250}")
_SHOWN_MAX_CHARS = 200


class SettingError(Exception):
    """A setting is missing or wrong; its text is one sentence for the person who set it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalConfig:
    """The settings that need no server: where local state is, and how long a call may stand."""

    timeout_seconds: float
    """One HTTP call without progress; a wait has its own time on top."""
    state_dir: Path
    """Absolute; it need not exist."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "LocalConfig":
        """The local settings of an environment.

        Raises:
            SettingError: a value is not allowed, or a retired variable is set.
        """
        _refuse_retired(environ)
        return cls(timeout_seconds=_timeout(environ), state_dir=_state_dir(environ))


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientConfig:
    """Everything that a session is told by its environment."""

    server_url: str
    """Without a slash at its end."""
    api_key: str = field(repr=False)
    fixed_address: str | None
    """Absent: one mailbox a session."""
    agent_name: str | None
    agent_description: str | None
    timeout_seconds: float
    """One HTTP call without progress; a wait has its own time on top."""
    state_dir: Path
    """Absolute; it need not exist."""
    session_key: str | None
    """Session identity of a scripted session."""
    attachment_roots: tuple[Path, ...] | None
    """Absolute; the only folders that attachments may be read from. Absent: not narrowed."""
    leaves_handoff_at_start: bool
    """The host starts a watcher by itself, which looks for the session's hand-off."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "ClientConfig":
        """The settings of an environment; an empty value counts as unset.

        Raises:
            SettingError: a value is missing or not allowed, or a retired variable is set.
        """
        local = LocalConfig.from_env(environ)
        return cls(
            server_url=_server_url(environ),
            api_key=_api_key(environ),
            fixed_address=_fixed_address(environ),
            agent_name=_text(environ, "MESSENGER_AGENT_NAME", limits.AGENT_NAME_MAX_CHARS),
            agent_description=_text(
                environ, "MESSENGER_AGENT_DESCRIPTION", limits.DESCRIPTION_MAX_CHARS
            ),
            timeout_seconds=local.timeout_seconds,
            state_dir=local.state_dir,
            session_key=_value(environ, "MESSENGER_SESSION_KEY"),
            attachment_roots=_attachment_roots(environ),
            leaves_handoff_at_start=_value(environ, "MESSENGER_HANDOFF_AT_START") is not None,
        )


def missing_roots(roots: tuple[Path, ...] | None) -> str | None:
    """What is wrong with MESSENGER_ATTACHMENT_ROOTS on this machine; `None`: nothing."""
    missing = [str(root) for root in roots or () if not root.is_dir()]
    if not missing:
        return None
    return (
        f"MESSENGER_ATTACHMENT_ROOTS names what is no folder here: {', '.join(missing)}: no file "
        "can be attached from there. Make it, or name another."
    )


def checked_server_url(name: str, url: str) -> str:
    """The URL of a server, without a slash at its end.

    Args:
        name: the variable or option that gave it, for the refusal.
        url: the URL.

    Raises:
        SettingError: it is none, or holds more than an address.
    """
    if "@" in url or "?" in url or "#" in url:
        # The value is not repeated: what stands there may be a secret.
        raise SettingError(
            f"{name} must not hold a user name, a password, a query or a fragment: give only the "
            "server's address, e.g. http://127.0.0.1:3600."
        )
    if not _is_http_url(url):
        raise SettingError(
            f"{name} is {_shown(url)}: it must be an http:// or https:// URL, "
            "e.g. http://127.0.0.1:3600."
        )
    return url.rstrip("/")


def checked_api_key(name: str, key: str) -> str:
    """An API key that has the form of one.

    Args:
        name: the variable or option that gave it, for the refusal.
        key: the key; the refusal does not repeat it.

    Raises:
        SettingError: it is none.
    """
    if _KEY.fullmatch(key) is None:
        raise SettingError(
            f"{name} is no API key: it must be `mk_` and then visible ASCII characters without "
            f"spaces ({len(key)} characters are given; they are not repeated here)."
        )
    return key


def _value(environ: Mapping[str, str], name: str) -> str | None:
    return environ.get(name, "").strip() or None


def _refuse_retired(environ: Mapping[str, str]) -> None:
    if _value(environ, "MESSENGER_TOKEN"):
        raise SettingError(
            "MESSENGER_TOKEN is retired: remove it and set MESSENGER_API_KEY to an API key (mk_…)."
        )


def _server_url(environ: Mapping[str, str]) -> str:
    name = "MESSENGER_SERVER_URL"
    url = _value(environ, name)
    if url is None:
        raise SettingError(f"{name} is not set: give the server's http:// or https:// URL.")
    return checked_server_url(name, url)


def _is_http_url(url: str) -> bool:
    if not url.isprintable() or " " in url or "\\" in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _api_key(environ: Mapping[str, str]) -> str:
    name = "MESSENGER_API_KEY"
    key = _value(environ, name)
    if key is None:
        raise SettingError(f"{name} is not set: give an API key (mk_…) of this server.")
    return checked_api_key(name, key)


def _fixed_address(environ: Mapping[str, str]) -> str | None:
    name = "MESSENGER_AGENT_ID"
    address = _value(environ, name)
    if address is not None and not is_address(address):
        raise SettingError(
            f"{name} is {_shown(address)}: a fixed address has 1 to 64 characters a–z, 0–9, `_`, "
            "`.`, `-` and starts with a letter or a digit; leave it empty for one mailbox a "
            "session."
        )
    return address


def _text(environ: Mapping[str, str], name: str, max_chars: int) -> str | None:
    text = _value(environ, name)
    if text is None:
        return None
    try:
        refuse_unstorable(name, text)
    except ValueError:
        raise SettingError(f"{name} is {_shown(text)}: it must be valid UTF-8.") from None
    if len(text) > max_chars:
        raise SettingError(
            f"{name} is {_shown(text)} with {len(text)} characters: at most {max_chars} are "
            "allowed."
        )
    return text


def _timeout(environ: Mapping[str, str]) -> float:
    name = "MESSENGER_TIMEOUT_MS"
    text = _value(environ, name)
    if text is None:
        return DEFAULT_TIMEOUT_MS / 1000
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(TIMEOUT_MAX_MS))
    if not is_number or not 1 <= int(text) <= TIMEOUT_MAX_MS:
        raise SettingError(
            f"{name} is {_shown(text)}: it must be a whole number of milliseconds from 1 to "
            f"{TIMEOUT_MAX_MS}."
        )
    return int(text) / 1000


def _state_dir(environ: Mapping[str, str]) -> Path:
    return _folder(environ, _value(environ, "MESSENGER_STATE_DIR") or DEFAULT_STATE_DIR)


def _attachment_roots(environ: Mapping[str, str]) -> tuple[Path, ...] | None:
    text = _value(environ, "MESSENGER_ATTACHMENT_ROOTS")
    if text is None:
        return None
    return tuple(_folder(environ, part.strip()) for part in text.split(os.pathsep) if part.strip())


def _folder(environ: Mapping[str, str], text: str) -> Path:
    if text == "~" or text.startswith(("~/", "~\\")):
        home = environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")
        text = home + text[1:]
    return Path(os.path.abspath(os.path.expanduser(text)))


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_MAX_CHARS else text[:_SHOWN_MAX_CHARS] + "…")
