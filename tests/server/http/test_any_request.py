"""Whatever is asked of the routes in the OpenAPI document, each answer is one that it announces.

Requests are made up from the document, right ones and wrong ones, and what they name is there every
other time. An agent makes them with its key and mailbox, a browser with the console's cookie, and
somebody with nothing.
"""

import re
import zlib
from collections.abc import Iterator
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Final

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from messenger_server.app import ALL_ROUTES, DOCUMENT_PATH
from messenger_server.openapi import document_of
from support.inhabited_server import AGENT, NOBODY, OWNER, InhabitedServer, inhabited_server

_DOCUMENT: Final = document_of(ALL_ROUTES)

_CHECKS: Final[list[CheckFunction]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

_Case = schemathesis.Case[Any]  # Any: of whatever kind of document

_schema = schemathesis.openapi.from_dict(_DOCUMENT)
# The callers bring what opens the routes.
_schema.config.generation.update(with_security_parameters=False)


@pytest.fixture(scope="module")
def server() -> Iterator[InhabitedServer]:
    """One server for all; what the callers work with is still good at the end."""
    with inhabited_server() as running:
        yield running
        for caller, path in ((AGENT, "/api/mailbox"), (OWNER, "/admin/account")):
            answer = requests.get(running.url + path, headers=running.callers[caller], timeout=5)
            assert answer.status_code == 200, f"{caller} was shut out: {answer.text}"


@pytest.fixture(scope="module")
def connection() -> Iterator[requests.Session]:
    """A connection that is kept, and keeps no cookie."""
    with requests.Session() as session:
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        yield session


@pytest.fixture(params=[AGENT, OWNER, NOBODY])
def caller(request: pytest.FixtureRequest) -> str:
    """Who asks."""
    return str(request.param)


def test_the_document_that_is_served_is_the_one_that_is_tried(server: InhabitedServer) -> None:
    served = requests.get(server.url + DOCUMENT_PATH, headers=server.callers[AGENT], timeout=5)

    assert served.json() == _DOCUMENT


@_schema.parametrize()
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
def test_promise_2_and_3_every_answer_is_one_that_the_document_announces(
    case: _Case, server: InhabitedServer, connection: requests.Session, caller: str
) -> None:
    _name_what_is_there(case, server)

    answer = case.call(server.url, connection, dict(_headers(case, server, caller)))

    case.validate_response(answer, _CHECKS)
    _refuse_unannounced_codes(case, answer)
    if answer.status_code < 400:
        assert _opens(caller, case.operation.path), f"{caller} opens {case.operation.label}"


def _headers(case: _Case, server: InhabitedServer, caller: str) -> dict[str, str]:
    if caller == OWNER and case.operation.path == "/ui/logout":
        return {"Cookie": server.signing_out}
    return dict(server.callers[caller])


def _opens(caller: str, path: str) -> bool:
    """Whether what the caller brings may open a path."""
    if path.startswith("/ui/"):
        return True
    return caller == (OWNER if path.startswith("/admin/") else AGENT)


def _refuse_unannounced_codes(case: _Case, answer: schemathesis.Response) -> None:
    """A refusal's code stands in the document too; another method than it names has no entry."""
    if answer.status_code < 400 or answer.status_code == 405:
        return
    code = answer.json()["code"]
    announced = case.operation.definition.raw["responses"][str(answer.status_code)]["description"]
    assert f"`{code}`" in announced, f"{case.operation.label} hides {answer.status_code} {code}"


# What is asked for is there every other time.


def _name_what_is_there(case: _Case, server: InhabitedServer) -> None:
    for named in (case.path_parameters, case.query, case.body):
        if isinstance(named, dict):
            for name, value in named.items():
                if name in server.there and zlib.crc32(repr(value).encode()) % 2:
                    there = server.there[name]
                    named[name] = [there] if isinstance(value, list) else there
    if case.operation.path == "/api/wait" and _is_long(case.query.get("timeout_seconds", "30")):
        case.query["timeout_seconds"] = 0


def _is_long(seconds: Any) -> bool:
    return re.fullmatch(r"[0-9.]+", str(seconds)) is not None
