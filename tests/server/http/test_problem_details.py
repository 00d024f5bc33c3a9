"""Every refusal has one shape, on every route, and the document announces it."""

import logging
from typing import Any, Final

import httpx2
import pytest

from messenger_server.app import ROUTES
from messenger_server.openapi import document_of
from support.app import Agent, RunningApp
from support.problems import assert_problem

_ROUTES: Final = [(route.method, route.path) for route in ROUTES]
_WITH_MAILBOX: Final = [
    each for each in _ROUTES if each[1] not in {"/health", "/api/agents/register"}
]
_WITH_BODY: Final = [each for each in _ROUTES if each[0] in {"POST", "PATCH"}]
_WITH_NAME: Final = [each for each in _ROUTES if "{" in each[1]]

_DOCUMENT: Final = document_of(ROUTES)

_BODIES: Final[dict[str, Any]] = {
    "/api/messages": {"to": "bob", "subject": "s", "body": "b"},
    "/api/messages/mark": {"ids": ["msg_0123456789"], "read": True},
    "/api/messages/move": {"ids": ["msg_0123456789"], "folder": "archive"},
    "/api/messages/delete": {"ids": ["msg_0123456789"]},
    "/api/folders": {"name": "later"},
    "/api/threads/{thread_id}": {"title": "t"},
    "/api/agents/me": {"display_name": "d"},
    "/api/agents/register": {},
}


def _assert_announced(method: str, path: str, status: int, code: str) -> None:
    announced = _DOCUMENT["paths"][path][method.lower()]["responses"][str(status)]
    assert f"`{code}`" in announced["description"], f"{method} {path} hides {status} {code}"
    assert "application/problem+json" in announced["content"]


async def _ask(agent: Agent, method: str, path: str, **more: Any) -> httpx2.Response:
    """The route, with a body that would be good if nothing else were wrong."""
    if (method, path) in _WITH_BODY and "content" not in more:
        more.setdefault("json", _BODIES[path])
    return await agent.ask(method, path.replace("{", "x").replace("}", "x"), **more)


@pytest.mark.parametrize(("method", "path"), _ROUTES)
async def test_promise_2_a_missing_key(app: RunningApp, method: str, path: str) -> None:
    answer = await app.client.request(method, path)

    assert_problem(answer, 401, "api_key_missing")
    _assert_announced(method, path, 401, "api_key_missing")


@pytest.mark.parametrize(("method", "path"), _ROUTES)
async def test_promise_2_bad_keys(app: RunningApp, method: str, path: str) -> None:
    revoked, expired = await app.create_key("r"), await app.create_key("e", days=1)
    await app.revoke_key("r")
    app.clock.advance(25 * 3600)

    for key, code in (
        ("mk_x", "api_key_unknown"),
        (revoked, "api_key_revoked"),
        (expired, "api_key_expired"),
    ):
        assert_problem(await _ask(app.stranger(key, "alice"), method, path), 401, code)
        _assert_announced(method, path, 401, code)


@pytest.mark.parametrize(("method", "path"), _WITH_MAILBOX)
async def test_bad_mailboxes(app: RunningApp, method: str, path: str) -> None:
    key = await app.create_key("red", agent="red")
    await app.agent("blue-box")

    for address, status, code in (
        (None, 400, "agent_id_missing"),
        ("NO", 400, "agent_id_invalid"),
        ("nobody", 404, "mailbox_not_registered"),
        ("blue-box", 403, "mailbox_not_yours"),
    ):
        assert_problem(await _ask(app.stranger(key, address), method, path), status, code)
        _assert_announced(method, path, status, code)


@pytest.mark.parametrize(("method", "path"), _ROUTES)
async def test_an_unknown_query_parameter(app: RunningApp, method: str, path: str) -> None:
    alice = await app.agent("alice")

    answer = await _ask(alice, method, path, params={"nonsense": "1"})

    problem = assert_problem(answer, 400, "invalid_request")
    assert problem["errors"][0]["field"] == "nonsense"
    assert "nonsense" in problem["detail"]
    _assert_announced(method, path, 400, "invalid_request")


@pytest.mark.parametrize(("method", "path"), _WITH_BODY)
async def test_bad_bodies(app: RunningApp, method: str, path: str) -> None:
    alice = await app.agent("alice")

    for content, code in (
        (b"", "invalid_json"),
        (b'{"a": ', "invalid_json"),
        (b"\xff", "invalid_json"),
        (b"[]", "invalid_request"),
        (b"null", "invalid_request"),
        (b'"text"', "invalid_request"),
        (b'{"nonsense": 1}', "invalid_request"),
    ):
        assert_problem(await _ask(alice, method, path, content=content), 400, code)
        _assert_announced(method, path, 400, code)


@pytest.mark.parametrize(("method", "path"), _WITH_BODY)
async def test_a_wrong_content_type(app: RunningApp, method: str, path: str) -> None:
    alice = await app.agent("alice")

    for media_type in ("text/plain", "application/x-www-form-urlencoded", "application/xml", ";"):
        answer = await _ask(
            alice, method, path, content=b"{}", headers={"Content-Type": media_type}
        )
        assert_problem(answer, 415, "unsupported_media_type")
    _assert_announced(method, path, 415, "unsupported_media_type")


@pytest.mark.parametrize(("method", "path"), _WITH_NAME)
async def test_a_name_of_nothing(app: RunningApp, method: str, path: str) -> None:
    alice = await app.agent("alice")
    noun = path.split("/")[2].removesuffix("s").replace("agent", "mailbox")

    answer = await _ask(alice, method, path)

    assert_problem(answer, 404, f"{noun}_not_found")
    _assert_announced(method, path, 404, f"{noun}_not_found")


@pytest.mark.parametrize("path", sorted({path for _, path in _ROUTES}))
async def test_a_wrong_method(app: RunningApp, path: str) -> None:
    alice = await app.agent("alice")
    right = {method for method, known in _ROUTES if known == path}

    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - right:
        answer = await alice.ask(method, path)
        assert_problem(answer, 405, "method_not_allowed")
        assert set(answer.headers["Allow"].split(", ")) == right


@pytest.mark.parametrize(
    "path", ["/api/nothing", "/api", "/api/messages/a/b", "/api/attachments/x/y"]
)
async def test_an_unknown_path_of_the_api(app: RunningApp, path: str) -> None:
    alice = await app.agent("alice")

    assert_problem(await app.client.get(path), 401, "api_key_missing")
    assert_problem(await alice.get(path), 404, "not_found")


@pytest.mark.parametrize("path", ["/nothing", "/healthy", "/ui/login/x", "/admins", "/v1/x"])
async def test_an_unknown_path_elsewhere_asks_nobody(app: RunningApp, path: str) -> None:
    for method in ("GET", "POST", "DELETE", "OPTIONS"):
        assert_problem(await app.client.request(method, path), 404, "not_found")


async def test_a_host_header_that_is_none(app: RunningApp) -> None:
    alice = await app.agent("alice")

    answer = await alice.ask("GET", "/health", headers={"Host": "a b"})

    assert_problem(answer, 400, "invalid_request")


async def test_refusals_of_the_store_name_no_fields(app: RunningApp) -> None:
    alice = await app.agent("alice")

    for draft, status, code in (
        ({"to": "alice", "subject": "s", "body": "b"}, 400, "self_message"),
        ({"to": ["a", "b"], "subject": "s", "body": "b"}, 400, "one_recipient_only"),
        ({"to": "box_0123456789abcdef", "subject": "s", "body": "b"}, 404, "mailbox_not_found"),
        ({"reply_to": "msg_0123456789", "body": "b"}, 404, "message_not_found"),
        ({"thread_id": "thr_0123456789", "body": "b"}, 404, "thread_not_found"),
    ):
        assert_problem(await alice.post("/api/messages", draft), status, code)
        _assert_announced("POST", "/api/messages", status, code)

    await alice.post("/api/folders", {"name": "later"})
    for method, path, body, status, code in (
        ("POST", "/api/messages/move", {"ids": ["x"], "folder": "y"}, 404, "folder_not_found"),
        ("POST", "/api/folders", {"name": "Later"}, 409, "folder_exists"),
        ("DELETE", "/api/folders/inbox", None, 403, "system_folder"),
    ):
        assert_problem(await alice.ask(method, path, json=body), status, code)
        _assert_announced(method, path.replace("inbox", "{name}"), status, code)


async def test_refusals_of_files(app: RunningApp) -> None:
    alice, _ = await app.agent("alice"), await app.agent("bob")
    file = {"filename": "a", "content_base64": "YWJj"}
    large = {"filename": "a", "content_base64": "A" * 4 * (10 * 1_048_576 // 3 + 1)}
    sent = await alice.post("/api/messages", {**_BODIES["/api/messages"], "attachments": [file]})
    of_file = f"/api/attachments/{sent.json()['attachments'][0]['id']}"

    for files, code in (([file] * 11, "too_many_attachments"), ([large], "attachment_too_large")):
        draft = {**_BODIES["/api/messages"], "attachments": files}
        assert_problem(await alice.post("/api/messages", draft), 413, code)
        _assert_announced("POST", "/api/messages", 413, code)
    beyond = await alice.ask("GET", of_file, headers={"Range": "bytes=3-"})
    assert_problem(beyond, 416, "range_not_satisfiable")
    assert beyond.headers["Content-Range"] == "bytes */3"
    announced_at = "/api/attachments/{attachment_id}"
    _assert_announced("GET", announced_at, 416, "range_not_satisfiable")


async def test_a_failure_of_the_server_tells_its_cause_to_the_log_alone(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    alice = await app.agent("alice")
    await app.database.close()

    with caplog.at_level(logging.ERROR):
        answer = await alice.ask("GET", "/api/mailbox", headers={"X-Request-Id": "trace-1"})

    problem = assert_problem(answer, 500, "internal_error")
    assert problem["request_id"] == "trace-1"
    assert problem["detail"] == "The server failed to answer this request."
    (record,) = [each for each in caplog.records if "trace-1" in each.getMessage()]
    assert record.exc_info is not None


async def test_a_database_that_does_not_answer_makes_the_server_unhealthy(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    alice = await app.agent("alice")
    await app.database.close()

    with caplog.at_level(logging.ERROR):
        answer = await alice.get("/health")

    assert_problem(answer, 503, "busy")
    assert int(answer.headers["Retry-After"]) >= 1
    _assert_announced("GET", "/health", 503, "busy")
