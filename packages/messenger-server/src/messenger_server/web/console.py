"""Signing in to the console and out of it: who may, and the cookie that remembers it."""

import hmac
import logging
from typing import Final

from messenger_core.errors import (
    AlreadySetUp,
    Busy,
    InvalidCredentials,
    TooManyTries,
    WrongSetupCode,
)
from messenger_core.wire.access import ConsoleIdentity, ConsoleState, Login, Setup, SignedIn
from messenger_server.api.call import Answer, Call, NoQuery
from messenger_server.api.route import Route
from messenger_server.auth.agents import Need
from messenger_server.auth.console import no_session_cookie, session_cookie
from messenger_server.database import Batch
from messenger_server.http_errors import SessionNotEnded
from messenger_server.store import account
from messenger_server.store.account import NewAccount, find_account
from messenger_server.store.audit import Action, AuditEntry, record
from messenger_server.store.fingerprints import fingerprint, new_secret
from messenger_server.store.sessions import NewSession, drop_session

_log = logging.getLogger(__name__)

_USER_AGENT_MAX_CHARS: Final = 300


async def show_session(call: Call[NoQuery, None]) -> ConsoleState:
    """Whether somebody is signed in, and whether there is an account at all."""
    found = await call.services.database.read(find_account)
    user = call.visitor
    return ConsoleState(
        authenticated=user is not None,
        setup_required=found is None,
        user=user and ConsoleIdentity(username=user.username),
    )


async def set_up(call: Call[NoQuery, Setup]) -> Answer[SignedIn]:
    """Makes the account, once, for whoever knows the code in the server's log."""
    services = call.services
    if await services.database.read(find_account) is not None:
        raise AlreadySetUp
    with services.attempts.trying(call.client.counted_as):
        if not services.setup_code.matches(call.body.code):
            await _note_refusal(call, "setup_refused")
            raise WrongSetupCode
        hashed = await services.passwords.hash(call.body.password)
        secret = new_secret()
        session = _new_session(call, secret, remembered=False)
        new = NewAccount(call.body.username, hashed)
        await services.database.write(account.set_up, new, session)
    _log.info("the console account was made from %s", call.client.address)
    return _signed_in(call, secret, status=201)


async def sign_in(call: Call[NoQuery, Login]) -> Answer[SignedIn]:
    """Signs a browser in, and ends the session that it had."""
    services, body = call.services, call.body
    with services.attempts.trying(call.client.counted_as):
        found = await services.database.read(find_account)
        # First the password, whatever the name: a wrong name must take the same time.
        is_right = await services.passwords.is_right(body.password, found and found.password_hash)
        if found is None or not _same(body.username, found.username) or not is_right:
            await _note_refusal(call, "sign_in_refused")
            raise InvalidCredentials
        secret = new_secret()
        session = _new_session(call, secret, remembered=body.remember)
        replaced = call.visitor and call.visitor.session_id
        await services.database.write(account.sign_in, found.password_hash, session, replaced)
    _log.info("signed in to the console from %s", call.client.address)
    return _signed_in(call, secret, remembered=body.remember)


async def sign_out(call: Call[NoQuery, None]) -> Answer[None]:
    """Ends the session, if there is one; the browser forgets it even where that fails."""
    database = call.services.database
    cookie = no_session_cookie(is_https=call.client.is_https)
    if call.visitor is not None:
        entry = call.entry("signed_out", call.visitor.session_public_id)
        try:
            if database.is_full():
                raise Busy
            await database.write(_sign_out, call.visitor.session_id, entry)
        except Busy as refusal:
            raise SessionNotEnded(cookie, refusal) from None
    return Answer(None, 204, (cookie,))


SIGN_IN_ROUTES: Final = (
    Route("GET", "/ui/session", show_session, need=Need.NOBODY),
    Route(
        "POST",
        "/ui/setup",
        set_up,
        need=Need.NOBODY,
        status=201,
        refusals=(AlreadySetUp, TooManyTries, WrongSetupCode),
    ),
    Route(
        "POST", "/ui/login", sign_in, need=Need.NOBODY, refusals=(InvalidCredentials, TooManyTries)
    ),
    Route("POST", "/ui/logout", sign_out, need=Need.NOBODY, status=204, asks_for_room=False),
)
"""Where one signs in: nobody is asked."""


async def _note_refusal(call: Call[NoQuery, Setup] | Call[NoQuery, Login], action: Action) -> None:
    """Into the trail and the log, without anything that was typed: it may be a password."""
    await call.services.database.write(record, call.entry(action))
    _log.warning("%s: wrong try from %s", action, call.client.address)


def _new_session(
    call: Call[NoQuery, Setup] | Call[NoQuery, Login], secret: str, *, remembered: bool
) -> NewSession:
    user_agent = call.headers.get(b"user-agent", b"").decode("latin-1")
    return NewSession(
        fingerprint=fingerprint(secret),
        remembered=remembered,
        address=call.client.address,
        user_agent=user_agent[:_USER_AGENT_MAX_CHARS] or None,
    )


def _signed_in(
    call: Call[NoQuery, Setup] | Call[NoQuery, Login],
    secret: str,
    *,
    status: int = 200,
    remembered: bool = False,
) -> Answer[SignedIn]:
    cookie = session_cookie(secret, is_https=call.client.is_https, remembered=remembered)
    return Answer(SignedIn(user=ConsoleIdentity(username=call.body.username)), status, (cookie,))


def _same(given: str, username: str) -> bool:
    return hmac.compare_digest(given.encode(), username.encode())


def _sign_out(batch: Batch, session_id: int, entry: AuditEntry) -> None:
    drop_session(batch, session_id)
    record(batch, entry)
