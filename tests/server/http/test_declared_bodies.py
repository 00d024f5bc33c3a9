"""What a request says of itself: how its body is written, and once who makes it."""

import pytest

from support.app import Agent, RunningApp


@pytest.fixture
async def alice(app: RunningApp) -> Agent:
    """Who asks."""
    return await app.agent("alice")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Encoding": "gzip"},
        {"Content-Encoding": "identity, br"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": 'application/json; x=y; Charset="UTF-16"'},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"), [("PATCH", "/api/agents/me"), ("POST", "/api/messages")]
)
async def test_a_body_that_is_compressed_or_not_utf_8_is_an_unsupported_type(
    alice: Agent, method: str, path: str, headers: dict[str, str]
) -> None:
    answer = await alice.ask(method, path, content=b"{}", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Encoding": "identity"},
        {"Content-Encoding": "Identity", "Content-Type": 'application/json; charset="utf-8"'},
        {"Content-Type": "application/json;"},
    ],
)
async def test_a_body_that_is_plain_is_read(alice: Agent, headers: dict[str, str]) -> None:
    answer = await alice.ask("PATCH", "/api/agents/me", content=b"{}", headers=headers)

    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("Authorization", 401, "api_key_missing"),
        ("X-Messenger-Token", 401, "api_key_missing"),
        ("X-Agent-Id", 400, "agent_id_invalid"),
    ],
)
async def test_who_asks_is_said_once(
    app: RunningApp, alice: Agent, name: str, status: int, code: str
) -> None:
    given = [*alice.headers.items(), ("X-Messenger-Token", alice.key)]
    given += [pair for pair in given if pair[0] == name]

    answer = await app.client.get("/api/mailbox", headers=given)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["detail"] == f"The header {name} comes more than once: send one."
