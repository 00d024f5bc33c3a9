"""What the published document says of the console's routes is what the contract says."""

from typing import Any, Final

import pytest

from messenger_server.app import ALL_ROUTES
from messenger_server.openapi import document_of

_READ: Final = {200, 400, 401, 429, 500}
_WRITE: Final = {400, 401, 403, 429, 500, 503}
_BODY: Final = {413, 415}
_POLLED: Final = _READ | {304}
_LIST: Final = {"agent", "search", "unread_only", "priority", "limit", "offset", "before"}

_CONTRACT: Final[dict[tuple[str, str], tuple[set[str], set[int]]]] = {
    ("get", "/ui/session"): (set(), {200, 400, 429, 500}),
    ("post", "/ui/setup"): (set(), {201, 400, 403, 409, 429, 500, 503} | _BODY),
    ("post", "/ui/login"): (set(), {200, 400, 401, 403, 429, 500, 503} | _BODY),
    ("post", "/ui/logout"): (set(), {204, 400, 403, 429, 500, 503}),
    ("get", "/admin/overview"): (set(), _POLLED),
    ("get", "/admin/messages"): (_LIST, _POLLED),
    ("get", "/admin/messages/{message_id}"): (set(), _POLLED | {404}),
    ("get", "/admin/threads"): (_LIST | {"agent_name"}, _POLLED),
    ("get", "/admin/threads/{thread_id}"): (
        {"limit", "offset", "newest_first", "bodies"},
        _POLLED | {404},
    ),
    ("get", "/admin/attachments/{attachment_id}"): (set(), _POLLED | {206, 404, 416}),
    ("get", "/admin/mailboxes/empty"): (set(), _READ),
    ("get", "/admin/mailboxes/stale"): ({"before"}, _READ),
    ("get", "/admin/mailboxes/created-before"): ({"created_before"}, _READ),
    ("post", "/admin/mailboxes/purge"): (set(), {200, 404, 409} | _WRITE | _BODY),
    ("patch", "/admin/mailboxes/{address}"): (set(), {200, 404} | _WRITE | _BODY),
    ("delete", "/admin/mailboxes/{address}"): ({"last_activity_at"}, {204, 404, 409} | _WRITE),
    ("get", "/admin/links"): (set(), _POLLED),
    ("post", "/admin/links"): (set(), {201, 404, 409} | _WRITE | _BODY),
    ("delete", "/admin/links/{link_id}"): (set(), {204, 404} | _WRITE),
    ("get", "/admin/keys"): (set(), _POLLED),
    ("post", "/admin/keys"): (set(), {201} | _WRITE | _BODY),
    ("get", "/admin/keys/{key_id}"): (set(), _READ | {404}),
    ("patch", "/admin/keys/{key_id}"): (set(), {200, 404, 409} | _WRITE | _BODY),
    ("post", "/admin/keys/{key_id}/extend"): (set(), {200, 404, 409} | _WRITE | _BODY),
    ("post", "/admin/keys/{key_id}/rotate"): (set(), {201, 404, 409} | _WRITE),
    ("post", "/admin/keys/{key_id}/revoke"): (set(), {200, 404} | _WRITE),
    ("get", "/admin/account"): (set(), _READ),
    ("patch", "/admin/account"): (set(), {200} | _WRITE | _BODY),
    ("post", "/admin/account/password"): (set(), {204} | _WRITE | _BODY),
    ("delete", "/admin/account/sessions/{session_id}"): (set(), {204, 404} | _WRITE),
    ("post", "/admin/account/sessions/revoke-others"): (set(), {204} | _WRITE),
    ("get", "/admin/audit"): ({"limit", "before"}, _READ),
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
        if path.startswith(("/admin/", "/ui/"))
    }

    assert found == set(_CONTRACT)


@pytest.mark.parametrize(("method", "path"), list(_CONTRACT))
def test_a_route_takes_and_answers_what_the_contract_says(
    document: dict[str, Any], method: str, path: str
) -> None:
    parameters, statuses = _CONTRACT[method, path]
    operation = document["paths"][path][method]

    given = {kind: set[str]() for kind in ("query", "header", "path")}
    for parameter in operation["parameters"]:
        given[parameter["in"]].add(parameter["name"])
    assert given["query"] == parameters
    assert "X-Agent-Id" not in given["header"]
    assert {int(status) for status in operation["responses"]} == statuses
    assert ("requestBody" in operation) == (413 in statuses)
    assert operation["summary"].endswith(".")


@pytest.mark.parametrize(("method", "path"), list(_CONTRACT))
def test_promise_3_a_route_of_the_console_is_opened_by_its_cookie_alone(
    document: dict[str, Any], method: str, path: str
) -> None:
    security = document["paths"][path][method]["security"]
    schemes = document["components"]["securitySchemes"]

    opened_by = [schemes[name] for each in security for name in each]
    if path.startswith("/ui/"):
        assert opened_by == []
    else:
        assert [(each["type"], each["in"]) for each in opened_by] == [("apiKey", "cookie")] * 2
        assert [each["name"] for each in opened_by] == [
            "messenger_session",
            "__Host-messenger_session",
        ]


def test_a_try_too_many_says_when_the_next_one_may_come(document: dict[str, Any]) -> None:
    refusal = document["paths"]["/ui/login"]["post"]["responses"]["429"]

    assert "`too_many_tries`" in refusal["description"]
    assert "Retry-After" in refusal["headers"]
    problem = document["components"]["schemas"]["Problem"]
    assert "retry_after_seconds" in problem["properties"]
