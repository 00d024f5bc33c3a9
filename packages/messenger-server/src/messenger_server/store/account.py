"""The console's one account: made once, renamed, its password changed; each act leaves a trace."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from messenger_core.errors import AlreadySetUp, InvalidCredentials, WrongPassword
from messenger_core.schema import account
from messenger_core.times import rfc3339
from messenger_core.wire.access import Account
from messenger_server.database import Batch, Lookup
from messenger_server.store.audit import AuditEntry, record
from messenger_server.store.sessions import (
    NewSession,
    close_all_sessions,
    close_other_sessions,
    drop_session,
    open_session,
    sessions_of,
)


class AccountRow(NamedTuple):
    """The account; the instant in milliseconds since 1970."""

    username: str
    password_hash: str
    created_at: int


class NewAccount(NamedTuple):
    """The account that somebody sets up."""

    username: str
    password_hash: str


_FIND: Final = Lookup(
    AccountRow._make,
    select(account.c.username, account.c.password_hash, account.c.created_at),
)
_INSERT: Final = insert(account)
_RENAME: Final = update(account).values(username=bindparam("new_name"))
_SET_PASSWORD: Final = update(account).values(password_hash=bindparam("new_hash"))


def find_account(connection: Connection) -> AccountRow | None:
    """The account; `None` while nobody has set it up."""
    return _FIND.first(connection)


def show_account(connection: Connection, session_id: int, now_ms: int) -> Account:
    """The account as the session with this internal number sees it."""
    found = find_account(connection)
    assert found is not None, "a session has an account"
    return Account(
        username=found.username,
        created_at=rfc3339(found.created_at),
        sessions=sessions_of(connection, session_id, now_ms),
    )


def set_up(batch: Batch, new: NewAccount, session: NewSession) -> None:
    """Makes the account, and signs in whoever makes it.

    Raises:
        AlreadySetUp: there is one.
    """
    if find_account(batch.connection) is not None:
        raise AlreadySetUp
    batch.connection.execute(_INSERT, {"id": 1, **new._asdict(), "created_at": batch.now_ms})
    opened = open_session(batch, session)
    record(batch, AuditEntry("account_created", new.username, opened, session.address))
    record(batch, AuditEntry("signed_in", opened, opened, session.address))


def sign_in(batch: Batch, checked_hash: str, session: NewSession, replaced_id: int | None) -> None:
    """Signs a browser in whose password was checked against this hash.

    `replaced_id` is the session that the browser had so far: it ends.

    Raises:
        InvalidCredentials: the password was changed while it was checked.
    """
    found = find_account(batch.connection)
    if found is None or found.password_hash != checked_hash:
        raise InvalidCredentials
    if replaced_id is not None:
        drop_session(batch, replaced_id)
    opened = open_session(batch, session)
    record(batch, AuditEntry("signed_in", opened, opened, session.address))


def rename_account(batch: Batch, username: str, entry: AuditEntry) -> None:
    """Gives the account another name."""
    batch.connection.execute(_RENAME, {"new_name": username})
    record(batch, entry)


class PasswordChange(NamedTuple):
    """A new password, given by somebody who knew the old one."""

    checked_hash: str
    """The hash that the old one was checked against."""
    new_hash: str
    session_id: int
    """The one session that stays open, by its internal number."""


def change_password(batch: Batch, change: PasswordChange, entry: AuditEntry) -> None:
    """Changes the password, and closes every other session.

    Raises:
        WrongPassword: it was changed while the old one was checked.
    """
    found = find_account(batch.connection)
    if found is None or found.password_hash != change.checked_hash:
        raise WrongPassword
    batch.connection.execute(_SET_PASSWORD, {"new_hash": change.new_hash})
    close_other_sessions(batch, change.session_id)
    record(batch, entry)


def reset_password(batch: Batch, new_hash: str) -> None:
    """Changes the password of an account that is there, and closes every session."""
    batch.connection.execute(_SET_PASSWORD, {"new_hash": new_hash})
    close_all_sessions(batch)
    record(batch, AuditEntry("password_reset"))
