"""The gate in front of every route: who is calling, the quota, and what every answer carries."""

import logging
import re
import time
from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from litestar.utils import normalize_path

from messenger_core.echo import echoed
from messenger_core.errors import (
    AgentIdInvalid,
    ApiKeyMissing,
    Busy,
    ConsoleSessionRequired,
    MessengerError,
    NotFound,
    RateLimited,
)
from messenger_server.auth.admission import Admission, Client
from messenger_server.auth.agents import AgentCheck, Headers
from messenger_server.auth.console import ConsoleCheck, refuse_cross_site
from messenger_server.http_errors import send_failure
from messenger_server.paths import routed_path
from messenger_server.quota import Quota, Window
from messenger_server.web.client_address import Trust, came_by_https, client_address, counted_as
from messenger_server.web.headers import NOT_KEPT, Header, request_id, security_headers
from messenger_server.web.pages import is_page

_log = logging.getLogger(__name__)
_access_log = logging.getLogger("messenger_server.access")

HEALTH_PATH: Final = "/health"
_SIGN_IN_PATHS: Final = frozenset({"/ui/session", "/ui/setup", "/ui/login", "/ui/logout"})

_HEADERS_READ: Final = frozenset(
    {
        b"authorization",
        b"content-encoding",
        b"content-length",
        b"content-type",
        b"cookie",
        b"host",
        b"idempotency-key",
        b"if-none-match",
        b"if-range",
        b"origin",
        b"range",
        b"sec-fetch-site",
        b"user-agent",
        b"x-agent-id",
        b"x-messenger-token",
        b"x-request-id",
    }
)
_ONCE: Final[dict[bytes, type[MessengerError]]] = {
    b"authorization": ApiKeyMissing,
    b"x-messenger-token": ApiKeyMissing,
    b"x-agent-id": AgentIdInvalid,
}
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_PATH_MAX_CHARS: Final = 200
"""Of a line of the access log."""
_KEY_IN_PATH: Final = re.compile(r"mk_[A-Za-z0-9_-]+")


class Gate:
    """Lets requests through to the routes, and finishes every answer on its way back."""

    def __init__(
        self,
        app: ASGIApp,
        agents: AgentCheck,
        console: ConsoleCheck,
        quota: Quota,
        trust: Trust,
    ) -> None:
        self._app = app
        self._agents = agents
        self._console = console
        self._quota = quota
        self._trust = trust

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request; another kind of connection passes untouched."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        headers = _headers_read(scope)
        answering = _Answering(
            send, request_id(headers.get(b"x-request-id")), security_headers(scope["path"])
        )
        scope.setdefault("state", {})["request_id"] = answering.request_id
        try:
            path = routed_path(scope["raw_path"])
            admission = await self._admit(
                path or normalize_path(scope["path"]), scope, headers, answering
            )
            if path is None:
                raise NotFound
            scope["path"] = path
            scope["state"]["admission"] = admission
            await self._app(scope, receive, answering.send)
        except Exception as failure:
            if answering.status:
                raise  # half an answer is out: the server closes the connection
            await send_failure(failure, answering.request_id, answering.send)
        finally:
            if _access_log.isEnabledFor(logging.INFO):
                answering.write_access(scope)

    async def _admit(
        self, path: str, scope: HTTPScope, headers: Headers, answering: "_Answering"
    ) -> Admission:
        """Whom the request comes from, with its share of the quota taken.

        Raises:
            MessengerError: the caller is refused; that counts for the client's address.
        """
        try:
            if _asks_for_key(path):
                return await self._admit_agent(path, headers, scope, answering)
            if _is_of_console(path):
                return await self._admit_console(path, headers, scope, answering)
        except MessengerError as refusal:
            address = self._address(scope)
            answering.who = answering.who or address
            if not isinstance(refusal, RateLimited):
                self._quota.take(counted_as(address))
            raise
        except Exception:
            if path != HEALTH_PATH:
                raise
            _log.exception("the database does not answer")
            raise Busy("The database does not answer.") from None
        answering.who = address = self._address(scope)
        window = _uncounted() if is_page(path) else self._quota.take(counted_as(address))
        return Admission(answering.request_id, headers, window)

    async def _admit_agent(
        self, path: str, headers: Headers, scope: HTTPScope, answering: "_Answering"
    ) -> Admission:
        _refuse_doubles(scope)
        caller = await self._agents.caller_of(path, headers)
        answering.who = caller.address
        mailbox_id = caller.mailbox_id
        window = self._quota.take(
            counted_as(self._address(scope)) if mailbox_id is None else mailbox_id
        )
        return Admission(answering.request_id, headers, window, caller)

    async def _admit_console(
        self, path: str, headers: Headers, scope: HTTPScope, answering: "_Answering"
    ) -> Admission:
        """Who is signed in: at `/admin` somebody must be; a write must come from our own page."""
        address = self._address(scope)
        client = Client(address, counted_as(address), self._came_by_https(scope))
        user = await self._console.user_of(headers, is_https=client.is_https)
        if user is None and path not in _SIGN_IN_PATHS:
            raise ConsoleSessionRequired
        answering.who = client.address if user is None else user.session_public_id
        if scope["method"] not in _READING:
            refuse_cross_site(headers, is_https=client.is_https)
        if user is not None and scope["method"] == "GET" and b"if-none-match" in headers:
            return Admission(answering.request_id, headers, _uncounted(), None, user, client)
        window = self._quota.take(client.counted_as if user is None else user.session_public_id)
        return Admission(answering.request_id, headers, window, None, user, client)

    def _address(self, scope: HTTPScope) -> str:
        peer = scope["client"]
        forwarded = _values(scope, b"x-forwarded-for")
        return client_address(peer[0] if peer else None, forwarded, self._trust)

    def _came_by_https(self, scope: HTTPScope) -> bool:
        peer = scope["client"]
        forwarded = _values(scope, b"x-forwarded-proto")
        return came_by_https(scope["scheme"], peer[0] if peer else None, forwarded, self._trust)


class _Answering:
    """The way back of one request: adds to its answer, and remembers how it went."""

    __slots__ = ("_began", "_request_id", "_security", "_send", "request_id", "status", "who")

    def __init__(self, send: Send, identifier: bytes, security: tuple[Header, ...]) -> None:
        self._send = send
        self._request_id = identifier
        self._security = security
        self._began = time.perf_counter()
        self.request_id = identifier.decode()
        self.who: str | None = None
        """The mailbox or the console session that makes the request, by its public name; else the
        client's address."""
        self.status = 0
        """Of the answer, once it has begun."""

    async def send(self, message: Message) -> None:
        """Sends a part of the answer, the first one with the headers that all have."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [*message["headers"], (b"x-request-id", self._request_id), *self._security]
            if all(name != b"cache-control" for name, _ in message["headers"]):
                own.append(NOT_KEPT)
            message["headers"] = own
        await self._send(message)

    def write_access(self, scope: HTTPScope) -> None:
        """One line: method, path as it was sent and without its query, status, time, who."""
        path = scope["raw_path"].decode("latin-1")
        if "mk_" in path:
            path = _KEY_IN_PATH.sub("mk_[hidden]", path)
        _access_log.info(
            "%s %s %s %.1f ms %s %s",
            scope["method"],
            echoed(path, _PATH_MAX_CHARS),
            self.status or "left",
            (time.perf_counter() - self._began) * 1000,
            self.request_id,
            self.who or "-",
        )


def _headers_read(scope: HTTPScope) -> Headers:
    found: Headers = {}
    for name, value in scope["headers"]:
        if name in _HEADERS_READ and name not in found:
            found[name] = value
    return found


def _refuse_doubles(scope: HTTPScope) -> None:
    """Refuses two values of what says who asks: somebody in between may go by the other one.

    Raises:
        ApiKeyMissing: there are two keys, so none is the request's.
        AgentIdInvalid: it names two mailboxes.
    """
    given = [name for name, _ in scope["headers"] if name in _ONCE]
    for name, refusal in _ONCE.items():
        if given.count(name) > 1:
            raise refusal(f"The header {name.decode().title()} comes more than once: send one.")


def _uncounted() -> Window:
    """The quota of the console's page, and of its asking every few seconds for news: none."""
    return Window(began=0.0)


def _values(scope: HTTPScope, name: bytes) -> list[bytes]:
    return [value for given, value in scope["headers"] if given == name]


def _asks_for_key(path: str) -> bool:
    return path.startswith("/api/") or path in {"/api", HEALTH_PATH}


def _is_of_console(path: str) -> bool:
    return path.startswith("/admin/") or path == "/admin" or path in _SIGN_IN_PATHS
