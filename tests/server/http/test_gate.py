"""The gate around an application of any kind."""

from datetime import timedelta
from typing import Any, cast

import httpx2
import pytest
from litestar.types import Receive, Scope, Send

from messenger_core.errors import MessengerError
from messenger_server.auth.admission import Admission
from messenger_server.auth.agents import AgentCheck
from messenger_server.auth.console import ConsoleCheck
from messenger_server.auth.last_use import LastUse
from messenger_server.quota import Quota, Window
from messenger_server.web.gate import Gate
from support.app import URL, RunningApp


def _gate(app: RunningApp, inner: Any) -> Gate:  # Any: an ASGI application
    agents = AgentCheck(app.database, app.clock, LastUse(), {})
    console = ConsoleCheck(app.database, app.clock, LastUse())
    return Gate(inner, agents, console, Quota(0, timedelta(minutes=1), app.clock), None)


def _scope(kind: str) -> Any:  # Any: scopes have a type for each kind
    return {
        "type": kind,
        "scheme": "http",
        "method": "GET",
        "path": "/",
        "raw_path": b"/",
        "headers": [],
        "client": None,
    }


async def _never(*_message: Any) -> Any:
    raise AssertionError("nothing is read and nothing sent")


async def test_a_failure_in_the_middle_of_an_answer_is_the_servers_to_handle(
    app: RunningApp,
) -> None:
    sent: list[Any] = []

    async def inner(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise OSError("half way")

    async def send(message: Any) -> None:
        sent.append(message)

    with pytest.raises(OSError, match="half way"):
        await _gate(app, inner)(_scope("http"), _never, send)

    assert [message["status"] for message in sent] == [200]


async def test_another_kind_of_connection_passes_untouched(app: RunningApp) -> None:
    seen: list[str] = []

    async def inner(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(str(scope["type"]))

    await _gate(app, inner)(_scope("websocket"), _never, _never)

    assert seen == ["websocket"]


async def test_a_route_that_the_gate_does_not_know_lets_nobody_in(app: RunningApp) -> None:
    """The table of routes and the gate's paths may come apart: then the door stays shut."""
    alice = await app.agent("alice")

    for path in ("/API/mailbox", "/api%2Fmailbox", "/./api/mailbox", "/x/../api/mailbox"):
        answer = await app.client.get(path)
        assert answer.status_code in {401, 404}, path
    assert (await alice.get("/api/mailbox")).status_code == 200


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/mailbox", "api_key_missing"),
        ("/admin/account", "console_session_required"),
        ("/ui/session", "console_session_required"),
    ],
)
async def test_a_route_asks_again_should_the_gate_have_let_everybody_in(
    app: RunningApp, path: str, code: str
) -> None:
    gate = app.app.asgi_handler
    assert isinstance(gate, Gate)

    async def wide_open(scope: Scope, receive: Receive, send: Send) -> None:
        admission = Admission("r1", {}, Window(0.0))
        scope["litestar_app"] = app.app
        scope.setdefault("state", {}).update(request_id="r1", admission=admission)
        await gate._app(scope, receive, send)

    transport = httpx2.ASGITransport(cast(Any, wide_open))  # the libraries' types of one signature
    async with httpx2.AsyncClient(transport=transport, base_url=URL) as client:
        with pytest.raises(MessengerError) as refused:
            await client.get(path)

    assert (refused.value.status, refused.value.code) == (401, code)
