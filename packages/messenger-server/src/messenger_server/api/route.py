"""Routes: from a request to the call of a plain function, and from its answer to bytes.

A route's function says what it takes by its signature: `call: Call[MessageQuery, None]` is a query
of that shape and no body, `-> MessagePage` is the answer. Decoding and the OpenAPI document both
follow from it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from litestar import Request as LitestarRequest
from litestar.exceptions import MethodNotAllowedException
from litestar.handlers import HTTPRouteHandler
from litestar.types import HTTPScope, Receive, Scope, Send

from messenger_core.errors import (
    ApiKeyMissing,
    Busy,
    ConsoleSessionRequired,
    MessengerError,
    SendNotAllowed,
    UnsupportedMediaType,
)
from messenger_core.limits import BODY_MAX_BYTES
from messenger_core.wire.common import Request, Response
from messenger_server.api.body import JSON, media_type_of, read_whole, refuse_declared_size
from messenger_server.api.call import Answer, Call, ClientLeft, Download, Services
from messenger_server.api.decoding import decode_body, decode_query
from messenger_server.api.send_body import read_send
from messenger_server.api.staging import Staging
from messenger_server.auth.admission import Admission
from messenger_server.auth.agents import Need
from messenger_server.paths import name_of

Method = Literal["GET", "POST", "PATCH", "DELETE"]

WHOLE_REQUEST: Final = {"takes": "the whole request"}
"""The options of a handler whose function takes the request alone and gives an ASGI application."""

# Any: a route holds functions of every query, body and answer; `shape_of` takes them apart.
Work = Callable[[Call[Any, Any]], Awaitable[Any]]


class Route(NamedTuple):
    """One method of one path."""

    method: Method
    path: str
    """With at most one `{parameter}`."""
    work: Work
    need: Need = Need.MAILBOX
    status: int = 200
    """Of the usual answer."""
    other_status: int | None = None
    """Of the answer to a repeated request, or to one that created something."""
    refusals: tuple[type[MessengerError], ...] = ()
    """Besides those that every route has."""
    body_limit_bytes: int = BODY_MAX_BYTES
    takes_files: bool = False
    """A send: files may come with it, and a key that only reads is refused before they are read."""
    request_headers: Mapping[str, str] = {}
    """Headers that it reads, with what they mean."""
    asks_for_room: bool = True
    """A write that finds the queue full is refused before anything is done; else it sees itself."""

    @property
    def pattern(self) -> str:
        """The path as Litestar spells it."""
        return self.path.replace("}", ":str}")

    @property
    def writes(self) -> bool:
        """Whether it changes something: a full queue refuses it before its body is read."""
        return self.method != "GET"


class Shape(NamedTuple):
    """What a route takes and gives, by the signature of its function."""

    query: type[Request]
    body: type[Request] | None
    answer: type[Response | Download] | None
    """None: 204, and nothing to read."""


def shape_of(route: Route) -> Shape:
    """The types in the signature of a route's function."""
    hints = get_type_hints(route.work)
    query, body = get_args(hints["call"])
    answer = hints["return"]
    if get_origin(answer) is Answer:
        (answer,) = get_args(answer)
    return Shape(query, *(None if each is type(None) else each for each in (body, answer)))


def handlers_of(routes: Sequence[Route], services: Services) -> list[HTTPRouteHandler]:
    """What Litestar serves: a handler for each route, and one for each path's other methods."""
    methods: dict[str, list[str]] = {}
    for route in routes:
        methods.setdefault(route.pattern, []).append(route.method)
    # In this order: Litestar adds its own OPTIONS to a path that has none.
    refusing = [refuse_options(pattern, allowed) for pattern, allowed in methods.items()]
    return refusing + [_handler(route, services) for route in routes]


def refuse_options(pattern: str, allowed: list[str]) -> HTTPRouteHandler:
    """Makes OPTIONS a wrong method like any other: Litestar would answer it by itself."""

    async def refuse() -> None:
        raise MethodNotAllowedException(headers={"allow": ", ".join(allowed)})

    return HTTPRouteHandler(pattern, http_method="OPTIONS", status_code=204)(refuse)


def _handler(route: Route, services: Services) -> HTTPRouteHandler:
    shape = shape_of(route)

    async def serve(
        request: LitestarRequest[Any, Any, Any],  # Any: no user, token or typed state of Litestar's
    ) -> _Reply:
        scope = request.scope
        call = _call(scope, route.need, services)
        call.query = decode_query(scope["query_string"], shape.query)
        call.name = _name_in(scope)
        call.receive = request.receive
        if route.writes and route.asks_for_room and services.database.is_full():
            raise Busy
        try:
            answer = await _answer(call, route, shape.body)
        except ClientLeft:
            return _Reply(None)
        is_whole = isinstance(answer, (Answer, Download))
        return _Reply(answer if is_whole else Answer(answer, route.status))

    return HTTPRouteHandler(
        route.pattern,
        http_method=route.method,
        # The reply says its own; by itself Litestar takes a DELETE for one that cannot have any.
        status_code=200,
        name=f"{route.method} {route.path}",
        opt=WHOLE_REQUEST,
    )(serve)


def _name_in(scope: HTTPScope) -> str:
    """What the path names."""
    return name_of(next(iter(scope["path_params"].values()), ""))


def _call(scope: HTTPScope, need: Need, services: Services) -> Call[Any, Any]:
    """The call of whom the gate let in.

    It asks again, for the gate goes by paths: should it know fewer than there are routes, nobody
    gets in.
    """
    admission: Admission = scope["state"]["admission"]
    if need in (Need.CONSOLE, Need.NOBODY):
        known = admission.console if need is Need.CONSOLE else admission.client
        if known is None:
            raise ConsoleSessionRequired
    elif admission.caller is None:
        raise ApiKeyMissing
    return Call(services, admission)


async def _answer(call: Call[Any, Any], route: Route, body: type[Request] | None) -> Any:
    """What the route's function gives, once its body is there."""
    if body is None:
        if route.writes:
            await _refuse_body(call)
        return await route.work(call)
    if not route.takes_files:
        call.body = await _body(call, route, body)
        return await route.work(call)
    if not call.caller.can_send:
        raise SendNotAllowed
    staging = Staging(call.services.config.db_path.parent)
    try:
        call.body = await read_send(call, route.body_limit_bytes, staging)
        call.files = await staging.finish()
        return await route.work(call)
    finally:
        staging.close()


async def _body(call: Call[Any, Any], route: Route, shape: type[Request]) -> Request:
    """The decoded body.

    Raises:
        UnsupportedMediaType: it is declared as something else than JSON.
        BodyTooLarge: it passes the route's limit; the rest is not read.
        InvalidRequest: it is no JSON, or of another shape.
    """
    if media_type_of(call.headers) != JSON:
        raise UnsupportedMediaType
    refuse_declared_size(call.headers, route.body_limit_bytes)
    return decode_body(await read_whole(call.receive, route.body_limit_bytes), shape)


class _Nothing(Request, frozen=True, kw_only=True):
    """The body of a route that takes none."""


async def _refuse_body(call: Call[Any, Any]) -> None:
    """Refuses what a route would not read: whoever sends it believes that it counts.

    Raises:
        BodyTooLarge: it passes the limit of any body.
        InvalidRequest: it is neither absent nor an empty object.
    """
    refuse_declared_size(call.headers, BODY_MAX_BYTES)
    body = await read_whole(call.receive, BODY_MAX_BYTES)
    if body.strip():
        decode_body(body, _Nothing)


class _Reply:
    """An answer on its way out; None: there is nobody to answer."""

    __slots__ = ("_answer",)

    def __init__(self, answer: Answer[Any] | Download | None) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._answer is None:
            return
        if isinstance(self._answer, Download):
            await _send_pieces(self._answer, send)
            return
        content, status, headers, after_sent = self._answer
        body = b"" if content is None else msgspec.json.encode(content)
        if content is not None:
            length = b"%d" % len(body)
            headers = ((b"content-type", JSON), (b"content-length", length), *headers)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})
        if after_sent is not None:
            after_sent()


async def _send_pieces(download: Download, send: Send) -> None:
    status, headers, pieces = download
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if pieces is not None:
        async for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
