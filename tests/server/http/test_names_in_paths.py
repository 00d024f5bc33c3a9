"""Promise 8: what somebody writes as a name never becomes a path."""

from collections.abc import Iterator
from itertools import product
from typing import Final
from urllib.parse import quote

import pytest

from messenger_core.errors import NotFound
from messenger_server.api.route import Route
from messenger_server.app import ALL_ROUTES
from support.app import RunningApp
from support.browser import Browser

_PIECES: Final = ("/", ".", "..", "%", "%2F", "a", "é", "?", "#", "messages")
_BODIES: Final = {"PATCH": {"title": "x"}, "POST": {}}
_WITH_NAME: Final = [route for route in ALL_ROUTES if route.path.partition("{")[1]]


def _names() -> Iterator[str]:
    for length in (1, 2):
        yield from map("".join, product(_PIECES, repeat=length))
    yield from ("a/b", "../mailbox", "%252F", "//", "/a/", "%", "a%00")


def _at(route: Route, name: str) -> str:
    written = quote(name, safe="").replace(".", "%2E")
    before, _, rest = route.path.partition("{")
    return before + written + rest.partition("}")[2]


@pytest.mark.parametrize(
    "route",
    [route for route in _WITH_NAME if route.path.startswith("/api/")],
    ids=lambda route: f"{route.method} {route.path}",
)
async def test_promise_8_a_name_that_looks_like_a_path_is_only_unknown(
    app: RunningApp, route: Route
) -> None:
    agent = await app.agent("alice")
    unknown = next(error.code for error in route.refusals if issubclass(error, NotFound))

    for name in _names():
        answer = await agent.ask(route.method, _at(route, name), json=_BODIES.get(route.method))
        assert (answer.status_code, answer.json()["code"]) == (404, unknown), name


@pytest.mark.parametrize(
    "route",
    [route for route in _WITH_NAME if route.path.startswith("/admin/keys/{key_id}")],
    ids=lambda route: f"{route.method} {route.path}",
)
async def test_promise_8_so_it_is_in_the_console(owner: Browser, route: Route) -> None:
    bodies = {"PATCH": {"name": "x"}, "POST": {}}

    for name in ("/", "../account", "%2F", "a/b"):
        answer = await owner.ask(route.method, _at(route, name), json=bodies.get(route.method))
        assert answer.status_code in {400, 404}, name
        assert answer.json()["code"] in {"key_not_found", "invalid_request"}, name


@pytest.mark.parametrize(
    "path",
    [
        "//api/messages",
        "/api//messages",
        "/api/messages/",
        "/api/messages//",
        "/api/folders/a/b",
        "/api/messages/%00",
        "/api/messages/%FF",
        "/api/messages/a%ED%A0%80",
        "/api%2Fmessages",
        "/health/",
        "/api/mailbox//",
    ],
)
async def test_a_path_has_one_spelling_and_no_empty_part(app: RunningApp, path: str) -> None:
    agent = await app.agent("alice")

    # Behind the name of the host: a client takes `//api` for one.
    answer = await agent.ask("GET", f"http://messenger.test{path}")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_a_path_that_is_none_still_asks_for_a_key_first(app: RunningApp) -> None:
    for path in ("//api/messages", "/api//messages", "/api/messages/", "/admin//keys", "/api/%00"):
        answer = await app.client.get(f"http://messenger.test{path}")
        assert answer.status_code == 401, path


async def test_letters_of_a_path_may_be_escaped(app: RunningApp) -> None:
    agent = await app.agent("alice")

    answer = await agent.ask("GET", "/api/%6Dailbox")

    assert answer.status_code == 200, answer.text


async def test_a_folder_is_deleted_by_a_name_that_is_decoded_once(app: RunningApp) -> None:
    agent = await app.agent("alice")
    for name in ("a/b", "a%2Fb", "a"):
        assert (await agent.post("/api/folders", {"name": name})).status_code == 201

    deleted = await agent.ask("DELETE", "/api/folders/a%252Fb")

    assert deleted.status_code == 204
    folders = [each["name"] for each in (await agent.get("/api/folders")).json()["folders"]]
    assert folders[4:] == ["a", "a/b"]
