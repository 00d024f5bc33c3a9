"""`messenger-server keys`: API keys from the machine itself, also beside a running server."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from messenger_core import times
from messenger_core.wire.access import CreatedKey, Key, NewKey
from messenger_server.commands.beside import batch_of
from messenger_server.log import one_line
from messenger_server.store.audit import AuditEntry, record
from messenger_server.store.key_cards import list_keys, one_key
from messenger_server.store.key_changes import rotate_key
from messenger_server.store.keys import create_key, revoke_key

_HEADINGS: Final = ("ID", "NAME", "KEY", "OPENS", "CREATED", "EXPIRES", "LAST USED", "STATE")


def create(path: Path, draft: NewKey, *, as_json: bool) -> int:
    """Makes a key and prints its secret on stdout, with `as_json` the whole key; exit code 0."""
    with batch_of(path, makes_database=True) as batch:
        created = create_key(batch, draft)
        record(batch, AuditEntry("key_created", created.key.id))
    _show_secret(created, as_json=as_json)
    return 0


def rotate(path: Path, key_id: str, *, as_json: bool) -> int:
    """Replaces a key and prints the new secret on stdout as `create` does; exit code 0.

    Raises:
        KeyNotFound: no key has this id.
        KeyRevoked: it was revoked or replaced before.
    """
    with batch_of(path) as batch:
        created = rotate_key(batch, key_id)
        record(batch, AuditEntry("key_rotated", key_id))
        until = one_key(batch.connection, key_id, batch.now_ms).accepted_until
    _show_secret(created, as_json=as_json)
    assert until is not None, "a replaced key has its term"
    print(f"{key_id} is good until {_minute(until)}", file=sys.stderr)
    return 0


def show_all(path: Path) -> int:
    """Prints a table of all keys, without their secrets; exit code 0."""
    with batch_of(path) as batch:
        keys = list_keys(batch.connection, times.now_ms())
    if not keys:
        print("no API key yet: make one with `messenger-server keys create NAME`", file=sys.stderr)
        return 0
    for line in _table([_HEADINGS, *(_row(key) for key in keys)]):
        print(line)
    return 0


def revoke(path: Path, key_id: str) -> int:
    """Refuses a key from the next request on; exit code 0, also for one that was revoked before.

    Raises:
        KeyNotFound: no key has this id.
    """
    with batch_of(path) as batch:
        key = revoke_key(batch, key_id)
        record(batch, AuditEntry("key_revoked", key_id))
    print(f"{key.id} ({one_line(key.name)}) is revoked", file=sys.stderr)
    return 0


def _show_secret(created: CreatedKey, *, as_json: bool) -> None:
    print(msgspec.json.encode(created).decode() if as_json else created.secret)
    sys.stdout.flush()
    print(_created_text(created), file=sys.stderr)


def _created_text(created: CreatedKey) -> str:
    key = created.key
    whom = f"the agent {one_line(key.agent_name)}" if key.agent_name else "all agents"
    until = f"until {_minute(key.expires_at)}" if key.expires_at else "for ever"
    return f"{key.id} is made for {whom}, good {until}. Its secret is shown this once."


def _row(key: Key) -> Sequence[str]:
    return (
        key.id,
        key.name,
        f"{key.start}…{key.end}",
        _scope(key),
        _minute(key.created_at),
        _minute(key.expires_at) if key.expires_at else "never",
        _minute(key.last_used_at) if key.last_used_at else "never",
        _state(key),
    )


def _state(key: Key) -> str:
    if key.state == "active" and key.accepted_until is not None:
        return f"replaced, good until {_minute(key.accepted_until)}"
    return key.state


def _scope(key: Key) -> str:
    limits = [
        *([] if key.can_send else ["read-only"]),
        *(["relay"] if key.relay else []),
        *([key.vendor] if key.vendor else []),
    ]
    return (key.agent_name or "all agents") + (f" ({', '.join(limits)})" if limits else "")


def _minute(instant: str) -> str:
    """`2026-09-07 13:31Z` of a wire time."""
    return f"{instant[:10]} {instant[11:16]}Z"


def _table(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
