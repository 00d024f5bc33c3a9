"""Console sessions: browsers that are signed in, found by the fingerprint of their cookie."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from messenger_core.echo import echoed
from messenger_core.errors import SessionNotFound
from messenger_core.ids import new_session_id
from messenger_core.limits import REMEMBERED_SESSION_SECONDS, SESSION_SECONDS
from messenger_core.schema import account, console_session
from messenger_core.times import rfc3339
from messenger_core.wire.access import ConsoleSession
from messenger_server.database import Batch, Database, Lookup

PORTION: Final = 500
"""So many sessions at most go in one transaction."""


class SessionRow(NamedTuple):
    """A session as the check of a request needs it; instants in milliseconds since 1970."""

    id: int
    public_id: str
    username: str
    last_seen_at: int
    expires_at: int


class NewSession(NamedTuple):
    """A browser that signs in."""

    fingerprint: str
    """Of the secret in its cookie."""
    remembered: bool
    address: str
    user_agent: str | None


_FIND: Final = Lookup(
    SessionRow._make,
    select(
        console_session.c.id,
        console_session.c.public_id,
        account.c.username,
        console_session.c.last_seen_at,
        console_session.c.expires_at,
    )
    .select_from(console_session.join(account, account.c.id == 1))
    .where(console_session.c.fingerprint == bindparam("fingerprint")),
    "fingerprint",
)
_LIVING: Final = (
    select(
        console_session.c.id,
        console_session.c.public_id,
        console_session.c.created_at,
        console_session.c.last_seen_at,
        console_session.c.expires_at,
        console_session.c.address,
        console_session.c.user_agent,
    )
    .where(console_session.c.expires_at > bindparam("now_ms"))
    .order_by(console_session.c.id.desc())
)
_INSERT: Final = insert(console_session)
_IS_LIVING: Final = select(console_session.c.id).where(
    console_session.c.public_id == bindparam("public_id"),
    console_session.c.expires_at > bindparam("now_ms"),
)
_CLOSE: Final = delete(console_session).where(console_session.c.id == bindparam("of"))
_CLOSE_OTHERS: Final = delete(console_session).where(console_session.c.id != bindparam("kept"))
_CLOSE_ALL: Final = delete(console_session)
_TOUCH: Final = (
    update(console_session)
    .where(console_session.c.id == bindparam("of"))
    .values(last_seen_at=bindparam("at"))
)
_PURGE: Final = delete(console_session).where(
    console_session.c.id.in_(
        select(console_session.c.id)
        .where(console_session.c.expires_at <= bindparam("now_ms"))
        .limit(bindparam("most"))
    )
)


async def find_session(database: Database, fingerprint: str) -> SessionRow | None:
    """The session with this fingerprint, expired or not."""
    return await database.lookup(_FIND, fingerprint)


def sessions_of(connection: Connection, current_id: int, now_ms: int) -> list[ConsoleSession]:
    """Every session that is still good, newest first."""
    return [
        ConsoleSession(
            id=row.public_id,
            current=row.id == current_id,
            created_at=rfc3339(row.created_at),
            last_seen_at=rfc3339(row.last_seen_at),
            expires_at=rfc3339(row.expires_at),
            address=row.address,
            user_agent=row.user_agent,
        )
        for row in connection.execute(_LIVING, {"now_ms": now_ms})
    ]


def open_session(batch: Batch, new: NewSession) -> str:
    """Keeps a session for 12 hours, or for 30 days; its public id."""
    public_id = new_session_id()
    seconds = REMEMBERED_SESSION_SECONDS if new.remembered else SESSION_SECONDS
    batch.connection.execute(
        _INSERT,
        {
            "public_id": public_id,
            **new._asdict(),
            "created_at": batch.now_ms,
            "last_seen_at": batch.now_ms,
            "expires_at": batch.now_ms + seconds * 1000,
        },
    )
    return public_id


def close_session(batch: Batch, public_id: str) -> None:
    """Signs a browser out.

    Raises:
        SessionNotFound: there is no such session, or it has expired.
    """
    of = {"public_id": public_id, "now_ms": batch.now_ms}
    found = batch.connection.execute(_IS_LIVING, of).scalar()
    if found is None:
        raise SessionNotFound(f"There is no console session {echoed(public_id)}.")
    batch.connection.execute(_CLOSE, {"of": found})


def drop_session(batch: Batch, session_id: int) -> None:
    """Signs a browser out by the session's internal number, if it is still there."""
    batch.connection.execute(_CLOSE, {"of": session_id})


def close_other_sessions(batch: Batch, kept_id: int) -> None:
    """Signs every browser out but one, which is named by the session's internal number."""
    batch.connection.execute(_CLOSE_OTHERS, {"kept": kept_id})


def close_all_sessions(batch: Batch) -> None:
    """Signs every browser out."""
    batch.connection.execute(_CLOSE_ALL)


def touch_sessions(batch: Batch, last_seen_ms_by_session: Mapping[int, int]) -> None:
    """Writes when sessions were last seen (milliseconds since 1970, by internal id)."""
    rows = [{"of": session_id, "at": at} for session_id, at in last_seen_ms_by_session.items()]
    if rows:
        batch.connection.execute(_TOUCH, rows)


def purge_sessions(batch: Batch, limit: int = PORTION) -> int:
    """Forgets sessions that have expired; how many. Call again while not 0."""
    return batch.connection.execute(_PURGE, {"now_ms": batch.now_ms, "most": limit}).rowcount
