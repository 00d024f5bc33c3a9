"""`messenger-mcp doctor`: one line for each thing that must be right, and never a key."""

import asyncio
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Literal, NamedTuple, TextIO

from messenger_core.errors import (
    AgentDescriptionConflict,
    AgentNameConflict,
    MailboxNotFound,
    MailboxNotRegistered,
    MessengerError,
    Unauthorized,
)
from messenger_core.ids import new_mailbox_address
from messenger_core.wire.health import Health
from messenger_core.wire.mailboxes import RegisterMailbox
from messenger_mcp.api_client import MessengerClient, Unreachable
from messenger_mcp.config import ClientConfig, LocalConfig, SettingError, missing_roots
from messenger_mcp.handoff import HandOff, find_handoff
from messenger_mcp.log import one_safe_line
from messenger_mcp.session_identity import host_session_fingerprint
from messenger_mcp.state_dir import StateDir
from messenger_mcp.watch_lock import is_watched

DONE: Final = 0
WRONG: Final = 1

_CALL_SECONDS = 10.0
_SKEW_MAX_SECONDS = 30.0
"""Times in messages are the server's; beyond this they mislead who reads them here."""

_NO_NAMES = RegisterMailbox()


class Finding(NamedTuple):
    """One line: what was looked at, how it stands, and what to do when it is wrong."""

    state: Literal["ok", "note", "WRONG"]
    subject: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """The server and mailbox that are looked at."""

    server_url: str
    api_key: str = field(repr=False)
    address: str | None
    source: str
    names: RegisterMailbox = _NO_NAMES
    """What a session of these settings registers with."""
    is_fixed: bool = False
    """The settings name the address: the first session makes the mailbox."""
    fault_of_roots: str | None = None


def doctor_main(environ: Mapping[str, str], output: TextIO) -> int:
    """Looks at everything, prints a line for each, and gives 1 when something is wrong."""
    findings = [*look(environ)]
    for finding in findings:
        words = one_safe_line(finding.words)
        output.write(f"{finding.state:<5} {finding.subject:<8} {words}\n")
    return WRONG if any(finding.state == "WRONG" for finding in findings) else DONE


def look(environ: Mapping[str, str]) -> Iterator[Finding]:
    """The findings, from the settings to the clock."""
    try:
        local = LocalConfig.from_env(environ)
    except SettingError as error:
        yield Finding("WRONG", "settings", str(error))
        return
    state = StateDir(local.state_dir)
    handoff = find_handoff(state, host_session=host_session_fingerprint(environ))
    try:
        place = _place(environ, handoff)
        yield Finding("ok", "settings", f"from {place.source}")
        if place.fault_of_roots is not None:
            yield Finding("WRONG", "files", place.fault_of_roots)
        yield from asyncio.run(_look_at_server(place, state, has_asked=handoff is not None))
    except SettingError as error:
        yield Finding("WRONG", "settings", str(error))
    yield _look_at_state(state)


def look_at_clock(server_date: str | None, now: datetime) -> Finding:
    """How far the two clocks are apart; the server tells its own in whole seconds."""
    try:
        told = None if server_date is None else parsedate_to_datetime(server_date)
    except ValueError:
        told = None
    if told is None or told.tzinfo is None:
        return Finding("note", "clock", "the server does not tell its time")
    apart = (now - told).total_seconds()
    if abs(apart) <= _SKEW_MAX_SECONDS:
        return Finding("ok", "clock", "agrees with the server's")
    side = "ahead of" if apart > 0 else "behind"
    words = f"this machine's is {abs(apart):.0f} s {side} the server's: set the wrong one right"
    return Finding("WRONG", "clock", words)


def _place(environ: Mapping[str, str], handoff: HandOff | None) -> _Place:
    """What the environment says, else what this session's hand-off does."""
    named = (environ.get(name, "") for name in ("MESSENGER_SERVER_URL", "MESSENGER_API_KEY"))
    if handoff is not None and not any(value.strip() for value in named):
        return _Place(
            server_url=handoff.server_url,
            api_key=handoff.api_key,
            address=handoff.address,
            source="the hand-off of this session",
        )
    config = ClientConfig.from_env(environ)
    of_session = None if handoff is None else handoff.address
    return _Place(
        server_url=config.server_url,
        api_key=config.api_key,
        address=config.fixed_address or of_session,
        source="the environment",
        names=RegisterMailbox(
            agent_name=config.agent_name, agent_description=config.agent_description
        ),
        is_fixed=config.fixed_address is not None,
        fault_of_roots=missing_roots(config.attachment_roots),
    )


async def _look_at_server(place: _Place, state: StateDir, *, has_asked: bool) -> list[Finding]:
    client = MessengerClient(place.server_url, place.api_key, timeout_seconds=_CALL_SECONDS)
    try:
        health = await _health(client)
        findings = [*_server_findings(place, health)]
        if isinstance(health, Health) and place.names != _NO_NAMES:
            findings.append(await _look_at_names(client, place.names))
        if isinstance(health, Health) and place.address is not None:
            client.address = place.address
            findings += await _look_at_mailbox(client, place, state, has_asked=has_asked)
        elif isinstance(health, Health):
            words = "none is named here: each session has one of its own (whoami tells it)"
            findings.append(Finding("note", "mailbox", words))
        if not isinstance(health, Unreachable):
            findings.append(look_at_clock(client.server_date, datetime.now(UTC)))
    finally:
        await client.aclose()
    return findings


async def _health(client: MessengerClient) -> Health | MessengerError | Unreachable:
    try:
        return await client.health()
    except (MessengerError, Unreachable) as error:
        return error


def _server_findings(
    place: _Place, health: Health | MessengerError | Unreachable
) -> Iterator[Finding]:
    match health:
        case Health():
            words = f"{place.server_url} answers (messenger-server {health.version})"
            yield Finding("ok", "server", words)
            yield Finding("ok", "key", "the server accepts it")
        case Unauthorized():
            yield Finding("ok", "server", f"{place.server_url} answers")
            yield Finding("WRONG", "key", str(health))
        case MessengerError():
            yield Finding("WRONG", "server", str(health))
        case Unreachable():
            yield Finding("WRONG", "server", str(health))


async def _look_at_names(client: MessengerClient, names: RegisterMailbox) -> Finding:
    """Whether the key lets a session register so; asked for an address that nobody has.

    The server looks at the names first, and makes no mailbox with an address of its own kind.
    """
    try:
        await client.at(new_mailbox_address()).register(names)
    except MailboxNotFound:
        return Finding("ok", "agent", "the key may be used with this agent name and description")
    except (AgentNameConflict, AgentDescriptionConflict) as error:
        words = f"a session would be refused: {error} (MESSENGER_AGENT_NAME, _DESCRIPTION)"
        return Finding("WRONG", "agent", words)
    except (MessengerError, Unreachable) as error:
        return Finding("WRONG", "agent", str(error))
    return Finding("note", "agent", "the server does not tell whether the key allows the names")


async def _look_at_mailbox(
    client: MessengerClient, place: _Place, state: StateDir, *, has_asked: bool
) -> list[Finding]:
    assert place.address is not None
    try:
        # The mailbox's status would mark links as received that the agent never saw.
        await client.folders()
    except (MessengerError, Unreachable) as error:
        if place.is_fixed and isinstance(error, MailboxNotRegistered):
            words = f"{place.address} will be registered by the first session"
            return [Finding("note", "mailbox", words)]
        return [Finding("WRONG", "mailbox", str(error))]
    return [
        Finding("ok", "mailbox", f"{place.address} is there"),
        _watcher_finding(
            is_armed=is_watched(state, place.server_url, place.address), has_asked=has_asked
        ),
    ]


def _watcher_finding(*, is_armed: bool, has_asked: bool) -> Finding:
    if is_armed:
        return Finding("ok", "watcher", "armed: one of this machine watches the mailbox")
    words = (
        "not armed on this machine: mail does not interrupt the agent until it calls "
        "enable_notifications"
    )
    # A session that left a hand-off counts on being interrupted.
    return Finding("WRONG" if has_asked else "note", "watcher", words)


def _look_at_state(state: StateDir) -> Finding:
    root = state.root
    try:
        mode = stat.S_IMODE(root.stat().st_mode)
    except FileNotFoundError:
        return Finding("note", "state", f"{root} does not exist yet; a session makes it")
    except OSError as error:
        return Finding("WRONG", "state", f"{root} cannot be looked at: {error.strerror}")
    if not root.is_dir() or not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        return Finding("WRONG", "state", f"{root} is no folder that can be written: make it one")
    if os.name == "posix" and mode & 0o077:
        words = f"{root} is open to others (mode {mode:04o}): chmod 700 it, it holds keys"
        return Finding("WRONG", "state", words)
    return Finding("ok", "state", f"{root} is private and can be written")
