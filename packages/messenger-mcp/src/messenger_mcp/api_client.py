"""The server's routes as methods: structs in, structs out, refusals as catalogue errors.

The only file that imports the HTTP client. Every method raises the `messenger_core.errors` of its
route, and `Unreachable` when no Messenger server answers. Nothing is repeated here, no redirect is
followed, and the key goes to the one server that it is for.
"""

import copy
import errno
import socket
import ssl
from collections.abc import Iterator
from typing import Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx2
import msgspec

from messenger_core.errors import AgentIdInvalid
from messenger_core.limits import RECIPIENT_MAX_CHARS
from messenger_core.wire.common import Mailbox
from messenger_core.wire.health import Health
from messenger_core.wire.mailboxes import (
    Directory,
    DirectoryQuery,
    MailboxStatus,
    Registered,
    RegisterMailbox,
    RenameMailbox,
)
from messenger_core.wire.messages import (
    MessageDetail,
    MessagePage,
    MessageQuery,
    ReadQuery,
    SendMessage,
    SentMessage,
)
from messenger_core.wire.threads import (
    RenameThread,
    Thread,
    ThreadDetail,
    ThreadPage,
    ThreadQuery,
    ThreadReadQuery,
)
from messenger_core.wire.wait import WaitQuery, WaitResult
from messenger_mcp import __version__
from messenger_mcp.api_errors import Unreachable, not_messenger, refusal
from messenger_mcp.config import SettingError

__all__ = ["MessengerClient", "Unreachable"]

_KEEPALIVE_SECONDS = 4.0
"""Shorter than the five seconds after which servers close an idle connection: a request on one that
is being closed fails, and nothing is repeated here."""

_CAUSES = {
    errno.ECONNREFUSED: "connection refused (does messenger-server run there?)",
    errno.ECONNRESET: "the connection broke",
    errno.EPIPE: "the connection broke",
    errno.EHOSTUNREACH: "no route to this host",
    errno.ENETUNREACH: "no network to reach this host",
    errno.EADDRNOTAVAIL: "this machine cannot open a connection to it",
}
_KINDS: tuple[tuple[type[httpx2.HTTPError], str], ...] = (
    (httpx2.ConnectTimeout, "the connection was not accepted in time"),
    (httpx2.TimeoutException, "it did not answer in time"),
    (httpx2.ProxyError, "the proxy of the environment refused the connection"),
    (httpx2.RemoteProtocolError, "it closed the connection, or what answers speaks no HTTP"),
    (httpx2.DecodingError, "its answer is damaged"),
    (httpx2.ReadError, "the connection broke"),
    (httpx2.WriteError, "the connection broke"),
)
_LEFT_UNREAD = ReadQuery(mark_read=False)

_Answer = TypeVar("_Answer", bound=msgspec.Struct)


class MessengerClient:
    """One server, one key, and the mailbox that the requests are for."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_seconds: float,
        address: str | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """A client; nothing is sent yet.

        Args:
            base_url: the server, without a slash at its end.
            api_key: `mk_…`.
            timeout_seconds: one call without progress; a wait has its own time on top.
            address: the mailbox (`X-Agent-Id`); may be set later.
            transport: in place of the network.

        Raises:
            SettingError: the proxy or certificate settings of the environment cannot be used.
        """
        self.server_url = base_url
        self.address = address
        self._timeout_seconds = timeout_seconds
        is_local = _is_loopback(base_url)
        try:
            self._http = httpx2.AsyncClient(
                headers={
                    "Authorization": f"Bearer {api_key}",
                    "User-Agent": f"messenger-mcp/{__version__}",
                },
                # Loopback never goes through a proxy, and plain HTTP needs no list of authorities,
                # whose loading costs as much as a start of the interpreter.
                trust_env=not is_local,
                verify=_trusts_nobody() if is_local and base_url.startswith("http:") else True,
                limits=httpx2.Limits(keepalive_expiry=_KEEPALIVE_SECONDS),
                timeout=timeout_seconds,
                transport=transport,
            )
        except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
            raise SettingError(
                f"The proxy or certificate settings of the environment cannot be used: {error}."
            ) from error

    def at(self, address: str | None) -> Self:
        """The same client for another mailbox, over the same connections; `None`: for none yet."""
        other = copy.copy(self)
        other.address = address
        return other

    async def aclose(self) -> None:
        """Closes the connections, also those of every `at`."""
        await self._http.aclose()

    async def health(self) -> Health:
        """`GET /health`."""
        return await self._get("/health", Health)

    async def register(self, request: RegisterMailbox) -> Registered:
        """`POST /api/agents/register`: without an address the server gives one.

        It is in the answer; `address` stays what it was.
        """
        return await self._send("POST", "/api/agents/register", request, Registered)

    async def status(self) -> MailboxStatus:
        """`GET /api/mailbox`."""
        return await self._get("/api/mailbox", MailboxStatus)

    async def directory(self, query: DirectoryQuery) -> Directory:
        """`GET /api/agents`."""
        return await self._get("/api/agents", Directory, query)

    async def mailbox(self, address: str) -> Mailbox:
        """`GET /api/agents/:id`."""
        return await self._get(f"/api/agents/{_segment(address)}", Mailbox)

    async def rename_mailbox(self, names: RenameMailbox) -> Mailbox:
        """`PATCH /api/agents/me`."""
        return await self._send("PATCH", "/api/agents/me", names, Mailbox)

    async def send(self, draft: SendMessage, idempotency_key: str | None = None) -> SentMessage:
        """`POST /api/messages`; the same key gives back the first answer."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        return await self._send("POST", "/api/messages", draft, SentMessage, headers)

    async def list_messages(self, query: MessageQuery) -> MessagePage:
        """`GET /api/messages`."""
        return await self._get("/api/messages", MessagePage, query)

    async def read_message(self, message_id: str, *, mark_read: bool) -> MessageDetail:
        """`GET /api/messages/:id`."""
        path = f"/api/messages/{_segment(message_id)}"
        return await self._get(path, MessageDetail, None if mark_read else _LEFT_UNREAD)

    async def list_threads(self, query: ThreadQuery) -> ThreadPage:
        """`GET /api/threads`."""
        return await self._get("/api/threads", ThreadPage, query)

    async def get_thread(self, thread_id: str, query: ThreadReadQuery) -> ThreadDetail:
        """`GET /api/threads/:id`."""
        return await self._get(f"/api/threads/{_segment(thread_id)}", ThreadDetail, query)

    async def rename_thread(self, thread_id: str, names: RenameThread) -> Thread:
        """`PATCH /api/threads/:id`."""
        return await self._send("PATCH", f"/api/threads/{_segment(thread_id)}", names, Thread)

    async def wait(self, query: WaitQuery) -> WaitResult:
        """`GET /api/wait`."""
        request = self._http.build_request(
            "GET",
            self.server_url + "/api/wait",
            params=_params(query),
            headers=self._headers(),
            timeout=httpx2.Timeout(
                self._timeout_seconds, read=self._timeout_seconds + query.timeout_seconds
            ),
        )
        return await self._answer(request, WaitResult)

    async def _get(
        self, path: str, answer: type[_Answer], query: msgspec.Struct | None = None
    ) -> _Answer:
        request = self._http.build_request(
            "GET",
            self.server_url + path,
            params=None if query is None else _params(query),
            headers=self._headers(),
        )
        return await self._answer(request, answer)

    async def _send(
        self,
        method: str,
        path: str,
        body: msgspec.Struct,
        answer: type[_Answer],
        headers: dict[str, str] | None = None,
    ) -> _Answer:
        request = self._http.build_request(
            method,
            self.server_url + path,
            content=msgspec.json.encode(body),
            headers={
                **self._headers(),
                "Content-Type": "application/json",
                **(headers or {}),
            },
        )
        return await self._answer(request, answer)

    def _headers(self) -> dict[str, str]:
        address = self.address
        if address is None:
            return {}
        # An address may come from an agent: it becomes no second header.
        if len(address) > RECIPIENT_MAX_CHARS or not address.isascii() or not address.isprintable():
            raise AgentIdInvalid(f"{address[:RECIPIENT_MAX_CHARS]!r} is not a mailbox address.")
        return {"X-Agent-Id": address}

    async def _answer(self, request: httpx2.Request, answer: type[_Answer]) -> _Answer:
        try:
            response = await self._http.send(request)
        except httpx2.HTTPError as error:
            raise Unreachable(
                self.server_url,
                _cause(error),
                may_have_arrived=not isinstance(
                    error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
                ),
            ) from error
        if not response.is_success:
            raise refusal(self.server_url, response.status_code, response.headers, response.content)
        try:
            return msgspec.json.decode(response.content, type=answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise not_messenger(self.server_url, response.status_code) from error


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.") or host.endswith(".localhost")


def _trusts_nobody() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _segment(text: str) -> str:
    # Also dots: `..` would be another path.
    return quote(text, safe="", errors="replace").replace(".", "%2E")


def _params(query: msgspec.Struct) -> dict[str, str | int | float | bool]:
    fields: dict[str, str | int | float | bool] = msgspec.to_builtins(query)
    return fields


def _cause(error: httpx2.HTTPError) -> str:
    """Why a request did not get an answer, in words."""
    for reason in _chain(error):
        if isinstance(reason, ssl.SSLError):
            return f"its TLS certificate or connection was refused ({reason.reason or reason})"
        if isinstance(reason, socket.gaierror):
            return f"its host name cannot be resolved ({reason.strerror})"
        if isinstance(reason, OSError) and reason.errno in _CAUSES:
            return _CAUSES[reason.errno]
    for kind, cause in _KINDS:
        if isinstance(error, kind):
            return cause
    return str(error) or type(error).__name__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            yield from error.exceptions
        error = error.__cause__ or error.__context__
