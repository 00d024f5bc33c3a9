"""Every refusal has one shape on the console's routes too, and the document announces it."""

import logging
from typing import Any, Final

import httpx2
import pytest

from messenger_server.admin.table import ADMIN_ROUTES
from messenger_server.app import ALL_ROUTES
from messenger_server.openapi import document_of
from messenger_server.web.console import SIGN_IN_ROUTES
from support.app import RunningApp
from support.browser import Browser
from support.problems import assert_problem

_CONSOLE: Final = (*SIGN_IN_ROUTES, *ADMIN_ROUTES)
_ROUTES: Final = [(route.method, route.path) for route in _CONSOLE]
_DOCUMENT: Final = document_of(ALL_ROUTES)
_WITH_BODY: Final = [
    (route.method, route.path)
    for route in _CONSOLE
    if "requestBody" in _DOCUMENT["paths"][route.path][route.method.lower()]
]


def _assert_announced(method: str, path: str, status: int, code: str) -> None:
    announced = _DOCUMENT["paths"][path][method.lower()]["responses"][str(status)]
    assert f"`{code}`" in announced["description"], f"{method} {path} hides {status} {code}"
    assert "application/problem+json" in announced["content"]


async def _ask(owner: Browser, method: str, path: str, **more: Any) -> httpx2.Response:
    return await owner.ask(method, path.replace("{", "x").replace("}", "x"), **more)


@pytest.mark.parametrize(("method", "path"), _ROUTES)
async def test_an_unknown_query_parameter(owner: Browser, method: str, path: str) -> None:
    answer = await _ask(owner, method, path, params={"nonsense": "1"})

    problem = assert_problem(answer, 400, "invalid_request")
    assert problem["errors"][0]["field"] == "nonsense"
    _assert_announced(method, path, 400, "invalid_request")


@pytest.mark.parametrize(("method", "path"), _WITH_BODY)
async def test_bad_bodies(owner: Browser, method: str, path: str) -> None:
    for content, code in (
        (b"", "invalid_json"),
        (b'{"a": ', "invalid_json"),
        (b"\xff", "invalid_json"),
        (b"[]", "invalid_request"),
        (b"null", "invalid_request"),
        (b'{"nonsense": 1}', "invalid_request"),
    ):
        assert_problem(await _ask(owner, method, path, content=content), 400, code)
        _assert_announced(method, path, 400, code)


@pytest.mark.parametrize(("method", "path"), _WITH_BODY)
async def test_what_a_form_of_another_site_could_send_is_no_body(
    owner: Browser, method: str, path: str
) -> None:
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        headers = {"Content-Type": media_type}
        answer = await _ask(owner, method, path, content=b"{}", headers=headers)
        assert_problem(answer, 415, "unsupported_media_type")
    _assert_announced(method, path, 415, "unsupported_media_type")


@pytest.mark.parametrize(("method", "path"), _WITH_BODY)
async def test_a_body_that_is_too_large(owner: Browser, method: str, path: str) -> None:
    content = b'"' + b"x" * (2 * 1024 * 1024) + b'"'

    answer = await _ask(owner, method, path, content=content)

    assert_problem(answer, 413, "body_too_large")
    _assert_announced(method, path, 413, "body_too_large")


@pytest.mark.parametrize("path", sorted({path for _, path in _ROUTES}))
async def test_a_wrong_method(owner: Browser, path: str) -> None:
    right = {method for method, known in _ROUTES if known == path}

    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - right:
        answer = await _ask(owner, method, path)
        assert_problem(answer, 405, "method_not_allowed")
        assert set(answer.headers["Allow"].split(", ")) == right


@pytest.mark.parametrize(("method", "path"), _ROUTES)
async def test_nothing_of_a_failures_inside_is_told(
    owner: Browser, app: RunningApp, caplog: pytest.LogCaptureFixture, method: str, path: str
) -> None:
    await app.database.close()

    with caplog.at_level(logging.ERROR):
        answer = await _ask(owner, method, path, headers={"X-Request-Id": "trace-1"})

    problem = assert_problem(answer, 500, "internal_error")
    assert problem["detail"] == "The server failed to answer this request."
    assert any("trace-1" in record.getMessage() for record in caplog.records)
    _assert_announced(method, path, 500, "internal_error")
