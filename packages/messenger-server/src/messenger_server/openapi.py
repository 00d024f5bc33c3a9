"""The OpenAPI document: what every route takes, gives and refuses, from the routes themselves."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from messenger_core.errors import (
    AgentIdInvalid,
    AgentIdMissing,
    ApiKeyExpired,
    ApiKeyMissing,
    ApiKeyRevoked,
    ApiKeyUnknown,
    BodyTooLarge,
    Busy,
    ConsoleSessionRequired,
    CrossSite,
    InternalError,
    InvalidJson,
    InvalidRequest,
    MailboxNotRegistered,
    MailboxNotYours,
    MessengerError,
    RateLimited,
    UnsupportedMediaType,
)
from messenger_core.wire.common import Problem, Request
from messenger_server import __version__
from messenger_server.api.call import Download
from messenger_server.api.route import Route, refuse_options, shape_of
from messenger_server.auth.agents import Need
from messenger_server.auth.console import COOKIE, SECURE_COOKIE

Json = dict[str, Any]  # Any: a JSON document

_REFERENCE: Final = "#/components/schemas/{name}"

_EVERYWHERE: Final = (InvalidRequest, RateLimited, InternalError)
_OF_A_KEY: Final = (ApiKeyMissing, ApiKeyUnknown, ApiKeyRevoked, ApiKeyExpired)
_OF_A_MAILBOX: Final = (AgentIdMissing, AgentIdInvalid, MailboxNotYours, MailboxNotRegistered)
_ASK_FOR_KEY: Final = frozenset({Need.KEY, Need.ADDRESS, Need.MAILBOX})
_NAME_A_MAILBOX: Final = frozenset({Need.ADDRESS, Need.MAILBOX})
_OF_A_BODY: Final = (InvalidJson, BodyTooLarge, UnsupportedMediaType)

_KEYS: Final[list[Json]] = [{"bearer": []}, {"token": []}]
_SECURITY: Final[dict[Need, list[Json]]] = {
    Need.CONSOLE: [{"console": []}, {"console_tls": []}],
    Need.NOBODY: [],
}

_ADDRESS_HEADER: Final = "The address of the caller's mailbox."
_RETRY_AFTER: Final = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}


def document_of(routes: Sequence[Route]) -> Json:
    """The OpenAPI 3.1 document of these routes."""
    shapes = [shape_of(route) for route in routes]
    bodies = [shape.body for shape in shapes if shape.body is not None]
    answers = [shape.answer for shape in shapes if shape.answer not in (None, Download)]
    named = [*bodies, *answers, Problem]
    _, schemas = msgspec.json.schema_components(named, ref_template=_REFERENCE)
    paths: Json = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Messenger", "version": __version__},
        "security": _KEYS,
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "`mk_…`"},
                "token": {"type": "apiKey", "in": "header", "name": "X-Messenger-Token"},
                "console": {"type": "apiKey", "in": "cookie", "name": COOKIE},
                "console_tls": {"type": "apiKey", "in": "cookie", "name": SECURE_COOKIE},
            },
        },
    }


def publishing(document: Json, path: str) -> list[HTTPRouteHandler]:
    """What serves the document at a path."""
    encoded = msgspec.json.encode(document)

    @get(path, name=f"GET {path}", sync_to_thread=False)
    def show_document() -> Response[bytes]:
        return Response(encoded, media_type="application/json")

    return [refuse_options(path, ["GET"]), show_document]


def refusals_of(route: Route) -> tuple[type[MessengerError], ...]:
    """Every refusal that a caller of a route may meet."""
    found: list[type[MessengerError]] = [*_EVERYWHERE, *route.refusals]
    if route.need in _ASK_FOR_KEY:
        found += _OF_A_KEY
    elif route.writes:
        found += [CrossSite]
    if route.need is Need.CONSOLE:
        found += [ConsoleSessionRequired]
    if route.need in _NAME_A_MAILBOX:
        found += [AgentIdInvalid]
    if route.need is Need.MAILBOX:
        found += _OF_A_MAILBOX
    if shape_of(route).body is not None:
        found += _OF_A_BODY
    if route.writes:
        found += [Busy]
    return tuple(dict.fromkeys(found))


def _operation(route: Route) -> Json:
    shape = shape_of(route)
    summary = (route.work.__doc__ or "").partition("\n")[0]
    operation: Json = {
        "operationId": route.work.__name__,
        "summary": summary,
        "parameters": [*_path_parameters(route), *_headers(route), *_query_parameters(route)],
        "responses": {**_answers(route), **_refusals(refusals_of(route))},
    }
    if route.need in _SECURITY:
        operation["security"] = _SECURITY[route.need]
    if shape.body is not None:
        content = {"application/json": {"schema": _reference(shape.body)}}
        if route.takes_files:
            content["multipart/form-data"] = _with_files(shape.body)
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _with_files(message: type[Request]) -> Json:
    """A body of parts: the message, and each file under whatever name."""
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    return {
        "schema": {
            "type": "object",
            "description": "The message without `attachments`, and a part with a `filename` for"
            " each of them.",
            "properties": {"message": _reference(message)},
            "required": ["message"],
            "additionalProperties": file,
        },
        "encoding": {"message": {"contentType": "application/json"}},
    }


def _path_parameters(route: Route) -> Iterable[Json]:
    for name in re.findall(r"{(\w+)}", route.path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _headers(route: Route) -> Iterable[Json]:
    if route.need in _NAME_A_MAILBOX:
        yield {
            "name": "X-Agent-Id",
            "in": "header",
            "required": route.need is Need.MAILBOX,
            "description": _ADDRESS_HEADER,
            "schema": {"type": "string"},
        }
    for name, description in route.request_headers.items():
        yield {
            "name": name,
            "in": "header",
            "required": False,
            "description": description,
            "schema": {"type": "string"},
        }


def _query_parameters(route: Route) -> Iterable[Json]:
    query = shape_of(route).query
    _, schemas = msgspec.json.schema_components([query], ref_template=_REFERENCE)
    schema = schemas[query.__name__]
    for name, property_schema in schema["properties"].items():
        yield {
            "name": name,
            "in": "query",
            "required": name in schema["required"],
            "schema": _without_null(property_schema),
        }


def _without_null(schema: Json) -> Json:
    """A parameter that may be left out is never null on the wire."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else schema


def _answers(route: Route) -> Json:
    answer = shape_of(route).answer
    if answer is None:
        return {str(route.status): {"description": _SAYS[route.status]}}
    if issubclass(answer, Download):
        return _BYTES
    content = {"application/json": {"schema": _reference(answer)}}
    statuses = [route.status, *([route.other_status] if route.other_status else [])]
    answers: Json = {
        str(status): {"description": _SAYS[status], "content": content} for status in statuses
    }
    if "If-None-Match" in route.request_headers:
        answers["304"] = {"description": "Nothing has changed since."}
    return answers


_CONTENT: Final[Json] = {"*/*": {}}
_BYTES: Final[Json] = {
    "200": {"description": "The bytes, under the file's own type.", "content": _CONTENT},
    "206": {"description": "The range of them that was asked for.", "content": _CONTENT},
    "304": {"description": "The client has them already."},
}

_SAYS: Final = {200: "Done.", 201: "Created.", 204: "Done; there is nothing to read."}


def _refusals(refusals: Iterable[type[MessengerError]]) -> Json:
    codes: dict[int, list[str]] = {}
    for error in refusals:
        codes.setdefault(error.status, []).append(error.code)
    content = {"application/problem+json": {"schema": _reference(Problem)}}
    return {
        str(status): {
            "description": ", ".join(f"`{code}`" for code in codes[status]),
            **({"headers": _RETRY_AFTER} if status in {429, 503} else {}),
            "content": content,
        }
        for status in sorted(codes)
    }


def _reference(shape: type[msgspec.Struct]) -> Json:
    return {"$ref": _REFERENCE.format(name=shape.__name__)}
