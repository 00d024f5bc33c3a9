"""`messenger-server keys`: API keys from the machine itself, also beside a running server."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from messenger_core import times
from messenger_core.wire.access import CreatedKey, Key, NewKey
from messenger_server.config import Failed
from messenger_server.database import Batch, open_for_command
from messenger_server.database.transactions import NotBegun, NotCommitted
from messenger_server.log import one_line
from messenger_server.store.keys import create_key, list_keys, revoke_key

_HEADINGS: Final = ("ID", "NAME", "KEY", "OPENS", "CREATED", "EXPIRES", "LAST USED", "STATE")


def create(path: Path, draft: NewKey, *, as_json: bool) -> int:
    """Makes a key and prints its secret on stdout, with `as_json` the whole key; exit code 0."""
    with _batch(path) as batch:
        created = create_key(batch, draft)
    print(msgspec.json.encode(created).decode() if as_json else created.secret)
    sys.stdout.flush()
    print(_created_text(created), file=sys.stderr)
    return 0


def show_all(path: Path) -> int:
    """Prints a table of all keys, without their secrets; exit code 0."""
    with _batch(path) as batch:
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
    with _batch(path) as batch:
        key = revoke_key(batch, key_id)
    print(f"{key.id} ({one_line(key.name)}) is revoked", file=sys.stderr)
    return 0


@contextmanager
def _batch(path: Path) -> Iterator[Batch]:
    try:
        with open_for_command(path) as batch:
            yield batch
    except (NotBegun, NotCommitted) as error:
        raise Failed(f"{path}: {error}") from error


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
        key.state,
    )


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
