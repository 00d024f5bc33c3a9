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
    BodyTooLarge,
    Busy,
    FieldError,
    InvalidRequest,
    MessengerError,
    UnsupportedMediaType,
)
from messenger_core.limits import BODY_MAX_BYTES, MEGABYTE
from messenger_core.wire.common import Request, Response
from messenger_server.api.call import Answer, Call, ClientLeft, Services
from messenger_server.api.decoding import decode_body, decode_query
from messenger_server.auth.agents import Need

Method = Literal["GET", "POST", "PATCH"]

# Any: a route holds functions of every query, body and answer; `shape_of` takes them apart.
Work = Callable[[Call[Any, Any]], Awaitable[Any]]

_JSON: Final = b"application/json"


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
    """A send: files may come with it, in a later version."""
    request_headers: Mapping[str, str] = {}
    """Headers that it reads, with what they mean."""

    @property
    def writes(self) -> bool:
        """Whether it changes something: a full queue refuses it before its body is read."""
        return self.method != "GET"


class Shape(NamedTuple):
    """What a route takes and gives, by the signature of its function."""

    query: type[Request]
    body: type[Request] | None
    answer: type[Response]


def shape_of(route: Route) -> Shape:
    """The types in the signature of a route's function."""
    hints = get_type_hints(route.work)
    query, body = get_args(hints["call"])
    answer = hints["return"]
    if get_origin(answer) is Answer:
        (answer,) = get_args(answer)
    return Shape(query, None if body is type(None) else body, answer)


def handlers_of(routes: Sequence[Route], services: Services) -> list[HTTPRouteHandler]:
    """What Litestar serves: a handler for each route, and one for each path's other methods."""
    methods: dict[str, list[str]] = {}
    for route in routes:
        methods.setdefault(route.path, []).append(route.method)
    # In this order: Litestar adds its own OPTIONS to a path that has none.
    refusing = [refuse_options(path, allowed) for path, allowed in methods.items()]
    return refusing + [_handler(route, services) for route in routes]


def refuse_options(path: str, allowed: list[str]) -> HTTPRouteHandler:
    """Makes OPTIONS a wrong method like any other: Litestar would answer it by itself."""

    async def refuse() -> None:
        raise MethodNotAllowedException(headers={"allow": ", ".join(allowed)})

    return HTTPRouteHandler(path.replace("}", ":str}"), http_method="OPTIONS", status_code=204)(
        refuse
    )


def _handler(route: Route, services: Services) -> HTTPRouteHandler:
    shape = shape_of(route)

    async def serve(
        request: LitestarRequest[Any, Any, Any],  # Any: no user, token or typed state of Litestar's
    ) -> _Reply:
        scope = request.scope
        call = _call(scope, services)
        call.query = decode_query(scope["query_string"], shape.query)
        call.name = next(iter(scope["path_params"].values()), "")
        call.receive = request.receive
        if route.writes and services.database.is_full():
            raise Busy
        try:
            if shape.body is not None:
                call.body = await _body(call, route, shape.body)
            answer = await route.work(call)
        except ClientLeft:
            return _Reply(None)
        return _Reply(answer if isinstance(answer, Answer) else Answer(answer))

    return HTTPRouteHandler(
        route.path.replace("}", ":str}"),
        http_method=route.method,
        name=f"{route.method} {route.path}",
    )(serve)


def _call(scope: HTTPScope, services: Services) -> Call[Any, Any]:
    admission = scope["state"]["admission"]
    if admission.caller is None:
        raise ApiKeyMissing  # the gate knows fewer paths than there are routes: nobody gets in
    return Call(services, admission.caller, admission.window, admission.headers)


async def _body(call: Call[Any, Any], route: Route, shape: type[Request]) -> Request:
    """The decoded body.

    Raises:
        UnsupportedMediaType: it is declared as something else than JSON.
        BodyTooLarge: it passes the route's limit; the rest is not read.
        InvalidRequest: it is no JSON, or of another shape.
    """
    media_type = call.headers.get(b"content-type", _JSON).partition(b";")[0].strip().lower()
    if media_type == b"multipart/form-data" and route.takes_files:
        raise InvalidRequest(
            "Attachments are not supported by this version yet: send the message as JSON.",
            errors=[FieldError("attachments", "is not supported by this version yet")],
        )
    if media_type != _JSON:
        raise UnsupportedMediaType
    length = call.headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > route.body_limit_bytes:
        raise _too_large(route)
    return decode_body(await _read(call.receive, route), shape)


async def _read(receive: Receive, route: Route) -> bytes:
    chunks = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientLeft
        chunk = message.get("body", b"")
        chunks.append(chunk)
        size += len(chunk)
        if size > route.body_limit_bytes:
            raise _too_large(route)
        if not message.get("more_body"):
            return b"".join(chunks)


def _too_large(route: Route) -> BodyTooLarge:
    return BodyTooLarge(f"The body may have {route.body_limit_bytes // MEGABYTE} MB here.")


class _Reply:
    """An answer on its way out; None: there is nobody to answer."""

    __slots__ = ("_answer",)

    def __init__(self, answer: Answer[Any] | None) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._answer is None:
            return
        content, status, headers, after_sent = self._answer
        body = msgspec.json.encode(content)
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [
                    (b"content-type", _JSON),
                    (b"content-length", b"%d" % len(body)),
                    *headers,
                ],
            }
        )
        await send({"type": "http.response.body", "body": body, "more_body": False})
        if after_sent is not None:
            after_sent()
