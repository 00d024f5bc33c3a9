"""The server's settings: one frozen object, read from a mapping, whole before anything starts."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Final, Literal, NamedTuple, Self, TypeVar, cast

LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]

HOST: Final = "127.0.0.1"
"""The one interface that the server listens on; a reverse proxy serves other machines."""


class Refused(Exception):
    """What stops the program: one sentence for the person who started it, and the exit code."""

    exit_code: ClassVar[int] = 2
    """2: wrong use or configuration, nothing was done."""


class Failed(Refused):
    """What went wrong on the way: the exit code of a command that did not do what it should."""

    exit_code = 1


class SettingError(Refused):
    """A setting has a value that is not allowed."""


class Setting(NamedTuple):
    """One environment variable of the server."""

    name: str
    default: str
    """As it would be written in the environment; empty: unset."""
    help: str
    """What it does and what is allowed."""


SETTINGS: Final = (
    Setting("MESSENGER_PORT", "3600", "The port to listen on, 1 to 65535."),
    Setting(
        "MESSENGER_HOST",
        HOST,
        "Not a setting: the server listens on 127.0.0.1 only, any other value refuses the start.",
    ),
    Setting(
        "MESSENGER_DB_PATH",
        "./data/messenger.db",
        "The SQLite file. It is created with its folder, both for their owner alone.",
    ),
    Setting(
        "MESSENGER_DATABASE_URL",
        "",
        "Kept for PostgreSQL. This version keeps its mail in SQLite only and refuses a value.",
    ),
    Setting(
        "MESSENGER_TRUST_PROXY",
        "1",
        "Which proxies may name the client's address: the number of hops in front of the server"
        " (1 to 32), `loopback` (every hop on this machine), or `false`.",
    ),
    Setting(
        "MESSENGER_RATE_LIMIT_MAX",
        "600",
        "Requests in a window for one mailbox, one console session, or else one client address;"
        " 0 = no limit.",
    ),
    Setting(
        "MESSENGER_RATE_LIMIT_WINDOW_MINUTES", "15", "The length of that window, 1 to 1440 minutes."
    ),
    Setting(
        "MESSENGER_TRASH_RETENTION_DAYS",
        "30",
        "Days after which the trash is emptied, 0 to 36500; 0 = never.",
    ),
    Setting(
        "MESSENGER_MAX_WAIT_SECONDS",
        "300",
        "The longest wait that a client may ask for, 1 to 3600 seconds.",
    ),
    Setting(
        "MESSENGER_AUTO_UPGRADE",
        "0",
        "1 brings an older database to this version's schema at the start, after a backup;"
        " 0 refuses to start on one and names the command.",
    ),
    Setting(
        "MESSENGER_LOG_LEVEL",
        "info",
        "`debug`, `info`, `warning` or `error`; the lines of a start appear at each.",
    ),
    Setting(
        "MESSENGER_LOG_FORMAT",
        "text",
        "`text`, or `json` for machines: the same words in `message`.",
    ),
)
"""Every setting, in the order of the documentation; tests hold the documents against it."""

RETIRED: Final = {
    "MESSENGER_TOKEN": "create an API key with `messenger-server keys create NAME` instead",
    "MESSENGER_AGENT_TOKENS": (
        "create one API key for each agent with `messenger-server keys create NAME --agent AGENT`"
        " instead"
    ),
    "MESSENGER_ADMIN_TOKEN": "the web console opens with its own account, no token opens it",
}
"""Variables that an older version read, and what replaces each; set, they refuse the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """What the server is told by its environment."""

    port: int
    db_path: Path
    """Absolute; the file may not exist yet."""
    trust_proxy: int | Literal["loopback"] | None
    """How many hops are trusted, or those on this machine; `None`: nobody is."""
    rate_limit_max: int
    """Requests in one window; 0: no limit."""
    rate_limit_window: timedelta
    trash_retention: timedelta | None
    """`None`: the trash is never emptied."""
    max_wait: timedelta
    auto_upgrade: bool
    log_level: LogLevel
    log_format: LogFormat

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> Self:
        """The settings of an environment; an empty value counts as unset.

        Raises:
            SettingError: a value is not allowed, or a retired variable is set.
        """
        refuse_retired(environment)
        _refuse_host(environment)
        days = _whole_number(environment, "MESSENGER_TRASH_RETENTION_DAYS", 0, 36_500)
        return cls(
            port=_whole_number(environment, "MESSENGER_PORT", 1, 65_535),
            db_path=database_path(environment),
            trust_proxy=_read(
                environment,
                "MESSENGER_TRUST_PROXY",
                _trusted_proxies,
                "a number of hops from 1 to 32, `loopback` or `false`",
            ),
            rate_limit_max=_whole_number(environment, "MESSENGER_RATE_LIMIT_MAX", 0, 1_000_000_000),
            rate_limit_window=timedelta(
                minutes=_whole_number(environment, "MESSENGER_RATE_LIMIT_WINDOW_MINUTES", 1, 1440)
            ),
            trash_retention=timedelta(days=days) if days else None,
            max_wait=timedelta(
                seconds=_whole_number(environment, "MESSENGER_MAX_WAIT_SECONDS", 1, 3600)
            ),
            auto_upgrade=_word(environment, "MESSENGER_AUTO_UPGRADE", ("0", "1")) == "1",
            # True: `_word` gives one of the words it is handed.
            log_level=cast(
                LogLevel,
                _word(environment, "MESSENGER_LOG_LEVEL", ("debug", "info", "warning", "error")),
            ),
            log_format=cast(
                LogFormat, _word(environment, "MESSENGER_LOG_FORMAT", ("text", "json"))
            ),
        )


def refuse_retired(environment: Mapping[str, str]) -> None:
    """Refuses variables that an older version read; their values are never shown.

    Raises:
        SettingError: names every one that is set, and what to do.
    """
    found = [
        f"{name} is retired: unset it; {RETIRED[name]}" for name in RETIRED if environment.get(name)
    ]
    if found:
        raise SettingError(". ".join(found))


def database_path(environment: Mapping[str, str]) -> Path:
    """Where the SQLite file is, as an absolute path.

    Raises:
        SettingError: the environment asks for another kind of database.
    """
    if environment.get("MESSENGER_DATABASE_URL", "").strip():
        # The value may hold a password: it is not shown.
        raise SettingError(
            "MESSENGER_DATABASE_URL is set, but this version keeps its mail in SQLite only:"
            " unset it and name a file in MESSENGER_DB_PATH"
        )
    return Path(_text(environment, "MESSENGER_DB_PATH")).absolute()


_T = TypeVar("_T")

_SHOWN_CHARS: Final = 80
"""This much of a wrong value is shown."""

_DEFAULTS: Final = {setting.name: setting.default for setting in SETTINGS}


def _text(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    return value if value.strip() else _DEFAULTS[name]


def _read(
    environment: Mapping[str, str], name: str, reading: Callable[[str], _T], allowed: str
) -> _T:
    """A setting as `reading` understands it, which raises ValueError for what is not allowed."""
    text = _text(environment, name).strip()
    try:
        return reading(text)
    except ValueError:
        raise SettingError(f"{name} is {_shown(text)}: allowed is {allowed}") from None


def _shown(text: str) -> str:
    return repr(text) if len(text) <= _SHOWN_CHARS else repr(text[:_SHOWN_CHARS]) + "…"


def _refuse_host(environment: Mapping[str, str]) -> None:
    host = _text(environment, "MESSENGER_HOST").strip()
    if host != HOST:
        raise SettingError(
            f"MESSENGER_HOST is {_shown(host)}: allowed is {HOST} only: the server listens on"
            " loopback; put a reverse proxy with TLS in front of it for other machines"
        )


def _whole_number(environment: Mapping[str, str], name: str, lowest: int, highest: int) -> int:
    def reading(text: str) -> int:
        return _bounded(text, lowest, highest)

    return _read(environment, name, reading, f"a whole number from {lowest} to {highest}")


def _word(environment: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    def reading(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    *first, last = words
    return _read(environment, name, reading, f"{', '.join(first)} or {last}")


def _trusted_proxies(text: str) -> int | Literal["loopback"] | None:
    if text.lower() == "loopback":
        return "loopback"
    if text.lower() == "false":
        return None
    return _bounded(text, 1, 32)


def _bounded(text: str, lowest: int, highest: int) -> int:
    if re.fullmatch(r"[0-9]{1,10}", text) is None or not lowest <= int(text) <= highest:
        raise ValueError(text)
    return int(text)
