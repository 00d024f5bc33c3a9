"""The published document is what the contract says and what the server does."""

from typing import Any, Final

import pytest

from messenger_core.wire.common import PRIORITIES
from messenger_server.app import ALL_ROUTES
from messenger_server.openapi import document_of
from support.app import RunningApp

_INT: Final = {"type": "integer"}
_PAGE: Final = {
    "limit": {**_INT, "minimum": 1, "maximum": 200, "default": 50},
    "offset": {**_INT, "minimum": 0, "maximum": 2**53, "default": 0},
}
_BEFORE: Final = {"before": {**_INT, "minimum": 0, "maximum": 2**53}}
_NO: Final = {"type": "boolean", "default": False}
_SEARCH: Final = {"type": "string", "minLength": 1, "maxLength": 200}
_ADDRESS: Final = {
    "type": "string",
    "minLength": 1,
    "maxLength": 320,
    "description": "A mailbox address.",
}
_ID: Final = {"type": "string", "minLength": 1, "maxLength": 320}
_FOLDER: Final = {"type": "string", "minLength": 1, "maxLength": 60}

_CONTRACT: Final[dict[tuple[str, str], tuple[dict[str, Any], set[int]]]] = {
    ("get", "/health"): ({}, {200, 400, 401, 429, 500, 503}),
    ("post", "/api/agents/register"): (
        {},
        {200, 201, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503},
    ),
    ("get", "/api/agents"): (
        {
            "agent_name": {"type": "string", "minLength": 1, "maxLength": 120},
            "search": _SEARCH,
            **_PAGE,
        },
        {200, 400, 401, 403, 404, 429, 500},
    ),
    ("get", "/api/agents/{address}"): ({}, {200, 400, 401, 403, 404, 429, 500}),
    ("patch", "/api/agents/me"): ({}, {200, 400, 401, 403, 404, 413, 415, 429, 500, 503}),
    ("get", "/api/mailbox"): ({}, {200, 400, 401, 403, 404, 429, 500}),
    ("post", "/api/messages"): (
        {},
        {200, 201, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503},
    ),
    ("get", "/api/messages"): (
        {
            "folder": {**_FOLDER, "default": "inbox"},
            "unread_only": _NO,
            "from": _ADDRESS,
            "thread_id": _ID,
            "search": _SEARCH,
            **_PAGE,
            **_BEFORE,
        },
        {200, 400, 401, 403, 404, 429, 500},
    ),
    ("get", "/api/messages/{message_id}"): (
        {"mark_read": {"type": "boolean", "default": True}},
        {200, 400, 401, 403, 404, 429, 500, 503},
    ),
    ("post", "/api/messages/mark"): ({}, {200, 400, 401, 403, 404, 413, 415, 429, 500, 503}),
    ("post", "/api/messages/move"): ({}, {200, 400, 401, 403, 404, 413, 415, 429, 500, 503}),
    ("post", "/api/messages/delete"): ({}, {200, 400, 401, 403, 404, 413, 415, 429, 500, 503}),
    ("get", "/api/attachments/{attachment_id}"): (
        {},
        {200, 206, 304, 400, 401, 403, 404, 416, 429, 500},
    ),
    ("get", "/api/threads"): (
        {
            "unread_only": _NO,
            "search": _SEARCH,
            "with_mailbox": _ADDRESS,
            **_PAGE,
            **_BEFORE,
        },
        {200, 400, 401, 403, 404, 429, 500},
    ),
    ("get", "/api/threads/{thread_id}"): (
        {**_PAGE, "newest_first": _NO},
        {200, 400, 401, 403, 404, 429, 500},
    ),
    ("patch", "/api/threads/{thread_id}"): (
        {},
        {200, 400, 401, 403, 404, 413, 415, 429, 500, 503},
    ),
    ("get", "/api/folders"): ({}, {200, 400, 401, 403, 404, 429, 500}),
    ("post", "/api/folders"): ({}, {201, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503}),
    ("delete", "/api/folders/{name}"): ({}, {204, 400, 401, 403, 404, 429, 500, 503}),
    ("get", "/api/links"): ({}, {200, 400, 401, 403, 404, 429, 500}),
    ("get", "/api/wait"): (
        {
            "timeout_seconds": {"type": "number", "minimum": 0, "default": 30},
            "folder": _FOLDER,
            "watcher": _NO,
            "after": {**_INT, "minimum": 0, "maximum": 2**53},
        },
        {200, 400, 401, 403, 404, 429, 500},
    ),
}
"""Query parameters and statuses of every route, as the contract gives them."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The document of the routes that are served."""
    return document_of(ALL_ROUTES)


def test_the_routes_are_those_of_the_contract(document: dict[str, Any]) -> None:
    found = {
        (method, path)
        for path, methods in document["paths"].items()
        for method in methods
        if not path.startswith(("/admin/", "/ui/"))  # test_console_openapi.py has those
    }

    assert found == set(_CONTRACT)


@pytest.mark.parametrize(("method", "path"), list(_CONTRACT))
def test_a_route_takes_and_answers_what_the_contract_says(
    document: dict[str, Any], method: str, path: str
) -> None:
    parameters, statuses = _CONTRACT[method, path]
    operation = document["paths"][path][method]

    found = {
        each["name"]: each["schema"] for each in operation["parameters"] if each["in"] == "query"
    }
    assert {name: _without_default_null(schema) for name, schema in found.items()} == parameters
    assert {int(status) for status in operation["responses"]} == statuses
    assert operation["summary"].endswith(".")
    for status, answer in operation["responses"].items():
        if status in {"204", "304"}:
            assert "content" not in answer
            continue
        if path.startswith("/api/attachments") and status < "300":
            assert answer["content"] == {"*/*": {}}
            continue
        media_type = "application/json" if status < "300" else "application/problem+json"
        reference = answer["content"][media_type]["schema"]["$ref"]
        assert reference.rpartition("/")[2] in document["components"]["schemas"]
    assert ("requestBody" in operation) == (method in {"post", "patch"})


@pytest.mark.parametrize(("method", "path"), list(_CONTRACT))
def test_a_route_names_its_headers(document: dict[str, Any], method: str, path: str) -> None:
    parameters = document["paths"][path][method]["parameters"]
    headers = {each["name"]: each["required"] for each in parameters if each["in"] == "header"}

    expected = {} if path == "/health" else {"X-Agent-Id": path != "/api/agents/register"}
    if (method, path) == ("post", "/api/messages"):
        expected["Idempotency-Key"] = False
    if path == "/api/attachments/{attachment_id}":
        expected |= {"If-None-Match": False, "If-Range": False, "Range": False}
    assert headers == expected
    names = {each["name"] for each in parameters if each["in"] == "path"}
    assert names == ({path.partition("{")[2].partition("}")[0]} if "{" in path else set())


def test_a_send_comes_as_json_or_with_its_files_as_parts(document: dict[str, Any]) -> None:
    content = document["paths"]["/api/messages"]["post"]["requestBody"]["content"]
    others = document["paths"]["/api/agents/register"]["post"]["requestBody"]["content"]

    assert set(content) == {"application/json", "multipart/form-data"}
    assert set(others) == {"application/json"}
    form = content["multipart/form-data"]
    assert form["schema"]["properties"] == {"message": content["application/json"]["schema"]}
    assert form["schema"]["required"] == ["message"]
    assert form["encoding"] == {"message": {"contentType": "application/json"}}


def test_either_header_opens_every_route_of_an_agent(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]

    assert document["security"] == [{"bearer": []}, {"token": []}]
    assert (schemes["bearer"]["type"], schemes["bearer"]["scheme"]) == ("http", "bearer")
    assert (schemes["token"]["in"], schemes["token"]["name"]) == ("header", "X-Messenger-Token")


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    references = set(_references(document))

    assert {reference.removeprefix("#/components/schemas/") for reference in references} == set(
        schemas
    )
    priority = schemas["SendMessage"]["properties"]["priority"]
    assert set(priority["enum"]) == set(PRIORITIES)
    assert {"type", "title", "status", "detail", "code"} <= set(schemas["Problem"]["properties"])


async def test_the_document_is_published_behind_the_key(
    app: RunningApp, document: dict[str, Any]
) -> None:
    caller = app.stranger(await app.create_key())

    answer = await caller.get("/api/openapi.json")

    assert answer.json() == document
    assert answer.headers["Content-Type"] == "application/json"
    assert (await caller.ask("OPTIONS", "/api/openapi.json")).headers["Allow"] == "GET"


def _without_default_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if (name, value) != ("default", None)}


def _references(node: Any) -> list[str]:  # Any: a JSON document
    if isinstance(node, list):
        return [found for each in node for found in _references(each)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"]] if "$ref" in node else []
    return own + [found for each in node.values() for found in _references(each)]
