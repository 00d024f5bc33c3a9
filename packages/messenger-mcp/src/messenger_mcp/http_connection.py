"""One server over HTTP: structs in, structs out, refusals as catalogue errors.

The only file that imports the HTTP client. Nothing is repeated here, no redirect is followed, and
the key goes to the one server that it is for.
"""

import copy
import errno
import socket
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple, Self, TypeVar
from urllib.parse import urlsplit

import httpx2
import msgspec

from messenger_core.errors import AgentIdInvalid
from messenger_core.limits import RECIPIENT_MAX_CHARS
from messenger_mcp import __version__
from messenger_mcp.api_errors import Unreachable, not_messenger, refusal
from messenger_mcp.config import SettingError
from messenger_mcp.multipart import MultipartBody

Transport = httpx2.AsyncBaseTransport
"""What a test may put in place of the network."""

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
_Answer = TypeVar("_Answer", bound=msgspec.Struct)


class Download(NamedTuple):
    """A success whose body is still on its way."""

    headers: Mapping[str, str]
    """By name, whose case the mapping ignores."""
    chunks: AsyncIterator[bytes]


class HttpConnection:
    """One server, one key, and the mailbox that the requests are for."""

    def __init__(
        self,
        server_url: str,
        api_key: str,
        *,
        timeout_seconds: float,
        transport: Transport | None,
    ) -> None:
        """A connection; nothing is sent yet.

        Raises:
            SettingError: the proxy or certificate settings of the environment cannot be used.
        """
        self.server_url = server_url
        self.address: str | None = None
        self.server_date: str | None = None
        """The `Date` of the last answer, as it was written."""
        self._timeout_seconds = timeout_seconds
        is_local = _is_loopback(server_url)
        try:
            self._http = httpx2.AsyncClient(
                headers={
                    "Authorization": f"Bearer {api_key}",
                    "User-Agent": f"messenger-mcp/{__version__}",
                },
                # Loopback never goes through a proxy, and plain HTTP needs no list of authorities,
                # whose loading costs as much as a start of the interpreter.
                trust_env=not is_local,
                verify=_trusts_nobody() if is_local and server_url.startswith("http:") else True,
                limits=httpx2.Limits(keepalive_expiry=_KEEPALIVE_SECONDS),
                timeout=timeout_seconds,
                transport=transport,
            )
        except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
            raise SettingError(
                f"The proxy or certificate settings of the environment cannot be used: {error}."
            ) from error

    def at(self, address: str | None) -> Self:
        """The same connections for another mailbox."""
        other = copy.copy(self)
        other.address = address
        return other

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def get(
        self,
        path: str,
        answer: type[_Answer],
        query: msgspec.Struct | None = None,
        *,
        patience_seconds: float = 0.0,
    ) -> _Answer:
        """What a path gives; the server may take `patience_seconds` longer than others."""
        request = self._http.build_request(
            "GET",
            self.server_url + path,
            params=None if query is None else _params(query),
            headers=self._headers(),
            timeout=httpx2.Timeout(
                self._timeout_seconds, read=self._timeout_seconds + patience_seconds
            ),
        )
        return self._decoded(await self._success(request), answer)

    async def send(
        self,
        method: str,
        path: str,
        body: msgspec.Struct,
        answer: type[_Answer],
        headers: Mapping[str, str] | None = None,
    ) -> _Answer:
        """The answer to a struct sent as JSON."""
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
        return self._decoded(await self._success(request), answer)

    async def upload(
        self,
        path: str,
        body: MultipartBody,
        answer: type[_Answer],
        headers: Mapping[str, str] | None = None,
    ) -> _Answer:
        """The answer to a message with files; raises also what the files raise."""
        request = self._http.build_request(
            "POST",
            self.server_url + path,
            content=body.chunks(),
            headers={
                **self._headers(),
                "Content-Type": body.content_type,
                "Content-Length": str(body.length_bytes),
                **(headers or {}),
            },
        )
        return self._decoded(await self._success(request), answer)

    async def delete(self, path: str) -> None:
        """Removes what is at a path."""
        request = self._http.build_request(
            "DELETE", self.server_url + path, headers=self._headers()
        )
        await self._success(request)

    @asynccontextmanager
    async def download(self, path: str) -> AsyncIterator[Download]:
        """The bytes at a path, as they come."""
        request = self._http.build_request(
            "GET",
            self.server_url + path,
            # A proxy that packs them would take the length away, and make another ETag.
            headers={**self._headers(), "Accept-Encoding": "identity"},
        )
        response = await self._success(request, stream=True)
        try:
            yield Download(response.headers, self._pieces(response))
        finally:
            await response.aclose()

    def _headers(self) -> dict[str, str]:
        address = self.address
        if address is None:
            return {}
        # An address may come from an agent: it becomes no second header.
        if len(address) > RECIPIENT_MAX_CHARS or not address.isascii() or not address.isprintable():
            raise AgentIdInvalid(f"{address[:RECIPIENT_MAX_CHARS]!r} is not a mailbox address.")
        return {"X-Agent-Id": address}

    async def _success(self, request: httpx2.Request, *, stream: bool = False) -> httpx2.Response:
        """The answer that is no refusal; its body unread with `stream`."""
        try:
            response = await self._http.send(request, stream=stream)
            if not response.is_success:
                await response.aread()
        except httpx2.HTTPError as error:
            raise self._unreachable(error) from error
        self.server_date = response.headers.get("date")
        if not response.is_success:
            raise refusal(self.server_url, response.status_code, response.headers, response.content)
        return response

    def _decoded(self, response: httpx2.Response, answer: type[_Answer]) -> _Answer:
        try:
            return msgspec.json.decode(response.content, type=answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise not_messenger(self.server_url, response.status_code) from error

    async def _pieces(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        try:
            async for piece in response.aiter_bytes():
                yield piece
        except httpx2.HTTPError as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: httpx2.HTTPError) -> Unreachable:
        return Unreachable(
            self.server_url,
            _cause(error),
            may_have_arrived=not isinstance(
                error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
            ),
        )


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.") or host.endswith(".localhost")


def _trusts_nobody() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


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
