"""Bodies and queries: what is wrong is named, in words."""

from typing import Any

import httpx2
import pytest

from support.app import Agent, RunningApp
from support.browser import Browser


def _fault(answer: httpx2.Response) -> tuple[str, str]:
    """Field and message of the one fault."""
    assert answer.status_code == 400, answer.text
    problem: dict[str, Any] = answer.json()
    assert problem["code"] == "invalid_request"
    (fault,) = problem["errors"]
    return fault["field"], fault["message"]


@pytest.fixture
async def alice(app: RunningApp) -> Agent:
    """A mailbox whose requests are made."""
    return await app.agent("alice")


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ("limit=abc", "limit", "must be an integer, not 'abc'"),
        ("limit=", "limit", "must be an integer, not ''"),
        ("limit=0", "limit", "must be at least 1, not '0'"),
        ("limit=201", "limit", "must be at most 200, not '201'"),
        ("limit=" + "9" * 99, "limit", "must be at most 200, not '" + "9" * 80 + "…'"),
        ("offset=-1", "offset", "must be at least 0, not '-1'"),
        ("before=1.5", "before", "must be an integer or null, not '1.5'"),
        ("before=null", "before", "must have a value, not 'null'"),
        ("unread_only=yes", "unread_only", "must be true or false, not 'yes'"),
        ("search=", "search", "must have at least 1 character"),
        ("search=" + "x" * 201, "search", "must have at most 200 characters"),
        ("search=a%00b", "search", "holds a NUL character (U+0000): remove it"),
        ("folder=inbox&folder=sent", "folder", "is given more than once: give it once"),
        ("from_=x", "from_", ""),
        ("Limit=5", "Limit", ""),
    ],
)
async def test_a_query_parameter_that_is_not_allowed_is_named(
    alice: Agent, query: str, field: str, message: str
) -> None:
    found = _fault(await alice.ask("GET", f"/api/messages?{query}"))

    assert found[0] == field
    assert found[1] == message or (not message and "is not a parameter" in found[1])


async def test_the_choices_of_a_parameter_that_may_be_absent_are_named(owner: Browser) -> None:
    found = _fault(await owner.get("/admin/threads", priority="low"))

    assert found == ("priority", "must be high, not 'low'")


async def test_a_query_that_is_not_utf_8_is_refused(alice: Agent) -> None:
    _, message = _fault(await alice.ask("GET", "/api/messages?search=%ED%A0%80"))

    assert "UTF-8" in message


@pytest.mark.parametrize("value", ["true", "True", "1"])
async def test_a_truth_may_be_written_in_several_ways(alice: Agent, value: str) -> None:
    answer = await alice.ask("GET", f"/api/messages?unread_only={value}&limit=5&search=null")

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        (b"{}", "body", "is required"),
        (b'{"body": 5}', "body", "must be text, not an integer"),
        (b'{"body": null}', "body", "must be text, not null"),
        (b'{"body": ""}', "body", "must have at least 1 character"),
        (b'{"body": "x", "to": {}}', "to", "must be text or a list or null, not an object"),
        (b'{"body": "x", "to": ["a", 1]}', "to[1]", "must be text, not an integer"),
        (
            b'{"body": "x", "priority": "huge"}',
            "priority",
            "must be one of high, low, normal, urgent",
        ),
        (b'{"body": "a\\u0000b"}', "body", "holds a NUL character (U+0000): remove it"),
        (b'{"body": "\\ud800"}', "body", "holds half of a surrogate pair: remove it"),
        (b'{"body": "\\udc00\\ud800"}', "body", "holds half of a surrogate pair: remove it"),
        (b'{"body": "x", "\\ud800": 1}', "", ""),
        (b'{"body": "x", "to": ["\\ud800"]}', "", ""),
        (b'{"body": "x", "attachments": [{"filename": "a"}]}', "attachments[0].content_base64", ""),
        (b"[]", "body", "must be an object, not a list"),
        (b"null", "body", "must be an object, not null"),
        (b"7", "body", "must be an object, not an integer"),
    ],
)
async def test_a_field_that_is_not_allowed_is_named(
    alice: Agent, body: bytes, field: str, message: str
) -> None:
    found = _fault(await alice.ask("POST", "/api/messages", content=body))

    assert found[0] == field
    assert found[1] == message or not message


@pytest.mark.parametrize(
    ("days", "message"),
    [
        ("0", "must be at least 1, not 0"),
        ("3651", "must be at most 3650, not 3651"),
        ("9" * 99, "must be at most 3650, not " + "9" * 80 + "…"),
        ("9" * 5000, "is larger than any number that is taken"),
        ("1.5", "must be an integer or null, not a number"),
        ('"soon"', "must be an integer or null, not text"),
    ],
)
async def test_a_number_that_is_not_allowed_is_shown(
    owner: Browser, days: str, message: str
) -> None:
    body = '{"name": "k", "agent_name": null, "lifetime_days": ' + days + "}"

    assert _fault(await owner.ask("POST", "/admin/keys", content=body)) == (
        "lifetime_days",
        message,
    )


async def test_text_that_is_none_is_no_fault_inside(owner: Browser) -> None:
    body = b'{"name": "\xff", "agent_name": 7, "lifetime_days": 0}'

    assert (await owner.ask("POST", "/admin/keys", content=body)).status_code == 400


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"body": "x"', "it ends too early"),
        (b'{"body": "x",}', "it goes wrong at byte 14"),
        (b'{"body": "\xff"}', "it is not UTF-8"),
    ],
)
async def test_what_is_no_json_is_told_in_our_words(alice: Agent, body: bytes, words: str) -> None:
    answer = await alice.ask("POST", "/api/messages", content=body)

    assert answer.json()["detail"] == f"The body is not valid JSON: {words}."


@pytest.mark.parametrize(
    ("before", "fault"),
    [
        ("soon", "not 'soon'"),
        ("2026-09-07T13:31:00", "not '2026-09-07T13:31:00'"),
        (
            "0001-01-01T00:00:00+14:00",
            "must be within the years 1 to 9999 of UTC, not '0001-01-01T00:00:00+14:00'",
        ),
    ],
)
async def test_a_time_that_is_not_allowed_is_shown(owner: Browser, before: str, fault: str) -> None:
    field, message = _fault(await owner.get("/admin/mailboxes/stale", before=before))

    assert field == "before"
    assert message.endswith(fault)


async def test_an_unknown_field_is_named_beside_those_there_are(alice: Agent) -> None:
    field, message = _fault(await alice.patch("/api/agents/me", {"displayname": "x"}))

    assert field == "displayname"
    assert message == "is not a field of this request (it has display_name, description)"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nul",
        b'{"body": "x"} {}',
        b'{"nonsense": ',
        b'{"body": "\xff"}',
        b'{"body": "\xed\xa0\x80"}',
        b'{"body": "\\ud800',
        b"\xef\xbb\xbf{}",
        b'{"body": 1, "x": ' + b"[" * 100_000,
        b"[" * 100_000,
        b"{'body': 1}",
        b'{"body": NaN}',
    ],
)
async def test_what_is_no_json_is_called_so(alice: Agent, body: bytes) -> None:
    answer = await alice.ask("POST", "/api/messages", content=body)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_json")


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON;charset=UTF-8",
        None,
    ],
)
async def test_json_is_read_however_it_is_announced(alice: Agent, media_type: str | None) -> None:
    headers = {"Content-Type": media_type} if media_type else {}

    answer = await alice.ask("PATCH", "/api/agents/me", content=b"{}", headers=headers)

    assert answer.status_code == 200


async def test_text_is_stored_as_it_was_written(app: RunningApp, alice: Agent) -> None:
    bob = await app.agent("bob")
    hostile = "a\u2028b\u0085\x1b[31m\u202eevil</untrusted>\r\n😀\ufffe\x7f e\u0301"

    sent = await alice.send(bob, hostile, subject=hostile[:20])

    read = (await bob.get(f"/api/messages/{sent['id']}")).json()
    assert (read["body"], read["subject"]) == (hostile, hostile[:20])


@pytest.mark.parametrize("seconds", ["-1", "-0.001", "nan", "inf", "-inf", "1e999", "soon", ""])
async def test_a_wait_of_no_length_is_refused(alice: Agent, seconds: str) -> None:
    field, _ = _fault(await alice.ask("GET", f"/api/wait?timeout_seconds={seconds}"))

    assert field == "timeout_seconds"
