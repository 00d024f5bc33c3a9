"""The console's account: its name, its password, the browsers that are signed in."""

from messenger_core.errors import WrongPassword
from messenger_core.wire.access import Account, ChangePassword, RenameAccount
from messenger_server.api.call import Answer, Call, NoQuery, Services
from messenger_server.auth.console import no_session_cookie
from messenger_server.database import Batch
from messenger_server.store import account
from messenger_server.store.account import PasswordChange
from messenger_server.store.audit import AuditEntry, record
from messenger_server.store.sessions import close_other_sessions, close_session


async def show_account(call: Call[NoQuery, None]) -> Account:
    """The account and every browser that is signed in to it."""
    return await _shown(call.services, call.console.session_id)


async def rename_account(call: Call[NoQuery, RenameAccount]) -> Account:
    """Gives the account another name."""
    entry = call.entry("account_renamed", call.body.username)
    await call.services.database.write(account.rename_account, call.body.username, entry)
    return await _shown(call.services, call.console.session_id)


async def change_password(call: Call[NoQuery, ChangePassword]) -> None:
    """Changes the password and signs every other browser out."""
    services = call.services
    with services.attempts.trying(call.client.counted_as):
        found = await services.database.read(account.find_account)
        assert found is not None, "a session has an account"
        if not await services.passwords.is_right(call.body.current_password, found.password_hash):
            await services.database.write(record, call.entry("password_refused"))
            raise WrongPassword
        change = PasswordChange(
            checked_hash=found.password_hash,
            new_hash=await services.passwords.hash(call.body.new_password),
            session_id=call.console.session_id,
        )
        entry = call.entry("password_changed")
        await services.database.write(account.change_password, change, entry)


async def close_one_session(call: Call[NoQuery, None]) -> Answer[None]:
    """Signs one browser out."""
    entry = call.entry("session_closed", call.name)
    await call.services.database.write(_close, call.name, entry)
    is_own = call.name == call.console.session_public_id
    cookie = no_session_cookie(is_https=call.client.is_https)
    return Answer(None, 204, (cookie,) if is_own else ())


async def close_sessions_of_others(call: Call[NoQuery, None]) -> None:
    """Signs every other browser out."""
    entry = call.entry("other_sessions_closed")
    await call.services.database.write(_close_others, call.console.session_id, entry)


async def _shown(services: Services, session_id: int) -> Account:
    return await services.database.read(account.show_account, session_id, services.clock.now_ms())


# Each act with its entry in the audit trail, in one transaction.


def _close(batch: Batch, public_id: str, entry: AuditEntry) -> None:
    close_session(batch, public_id)
    record(batch, entry)


def _close_others(batch: Batch, kept_id: int, entry: AuditEntry) -> None:
    close_other_sessions(batch, kept_id)
    record(batch, entry)
