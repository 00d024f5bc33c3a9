"""What an error and the access log say of a value: enough to know it again, never all of it."""

import logging
from typing import Any, Final

import httpx2
import pytest

from support.app import Agent, RunningApp

_LONG: Final = "x" * 5000


@pytest.fixture
async def alice(app: RunningApp) -> Agent:
    """Who asks."""
    return await app.agent("alice")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"/api/messages/{_LONG}", None),
        ("GET", f"/api/threads/{_LONG}", None),
        ("PATCH", f"/api/threads/{_LONG}", {"title": "a"}),
        ("GET", f"/api/attachments/{_LONG}", None),
        ("GET", f"/api/agents/{_LONG}", None),
        ("DELETE", f"/api/folders/{_LONG}", None),
        ("GET", f"/api/messages?{_LONG}=1", None),
        ("GET", f"/api/messages?order={_LONG}", None),
        ("GET", f"/api/messages?{_LONG}=1&{_LONG}=2", None),
        ("POST", "/api/folders", {_LONG: 1}),
        ("POST", "/api/messages", {"to": "y" * 300, "subject": "a", "body": "b"}),
    ],
)
async def test_an_error_echoes_80_characters_of_a_value(
    alice: Agent, method: str, path: str, body: Any
) -> None:
    answer = await alice.ask(method, path, json=body)

    assert answer.status_code in {400, 404}
    assert _longest_run(answer) <= 80, answer.text
    assert len(answer.content) < 600


async def test_a_long_header_is_cut_too_and_read_as_utf_8(app: RunningApp) -> None:
    key = await app.create_key()

    for named, shown in ((_LONG, "x" * 80 + "…"), ("zoë", "zoë")):
        headers = [
            (b"authorization", b"Bearer " + key.encode()),
            (b"x-agent-id", named.encode()),
        ]
        answer = await app.client.get("/api/mailbox", headers=headers)
        assert answer.json()["code"] == "agent_id_invalid"
        assert f"is '{shown}': that" in answer.json()["detail"]


async def test_the_access_log_keeps_200_characters_of_a_path(
    alice: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "messenger_server.access"):
        await alice.ask("GET", f"/api/messages/{_LONG}")

    assert "/api/messages/" + "x" * 186 + "… 404" in caplog.text


async def test_a_parameter_or_field_without_a_name_is_called_so(alice: Agent) -> None:
    query = (await alice.ask("GET", "/api/messages?=")).json()
    body = (await alice.ask("POST", "/api/folders", json={"": 1, "name": "a"})).json()

    assert query["detail"] == "The query has a parameter without a name: write `name=value`."
    assert query["errors"] == [{"field": "", "message": "must have a name"}]
    assert body["detail"] == "The body has a field without a name (it has name)."


def _longest_run(answer: httpx2.Response) -> int:
    text = answer.text
    runs = text.replace("y", "x").translate({ord(c): " " for c in set(text) - {"x", "y"}}).split()
    return max(map(len, runs), default=0)
