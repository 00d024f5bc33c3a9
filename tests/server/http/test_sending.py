"""POST /api/messages at its edge: header, statuses, repetition, keys that do not send."""

import asyncio

import pytest

from messenger_core.wire.messages import SendMessage
from messenger_server.api.messages import fingerprint_of
from support.app import Agent, RunningApp

_DRAFT = {"to": "bob", "subject": "s", "body": "b"}


@pytest.fixture
async def alice(app: RunningApp) -> Agent:
    """Writes to bob, whose mailbox is there."""
    await app.agent("bob")
    return await app.agent("alice")


def _key(value: str) -> dict[str, str]:
    return {"Idempotency-Key": value}


async def test_an_accepted_message_says_where_it_is(alice: Agent) -> None:
    answer = await alice.post("/api/messages", _DRAFT)

    assert answer.status_code == 201
    location = answer.headers["Location"]
    assert location == f"/api/messages/{answer.json()['id']}"
    assert (await alice.get(location)).json()["body"] == "b"
    assert (
        answer.json()["recipient_never_connected"],
        answer.json()["recipient_watcher_armed"],
    ) == (
        False,
        False,
    )


async def test_a_repeated_send_gives_the_first_answer_and_creates_nothing(alice: Agent) -> None:
    first = await alice.ask("POST", "/api/messages", json=_DRAFT, headers=_key("k"))

    again = await alice.ask("POST", "/api/messages", json=_DRAFT, headers=_key("k"))
    as_list = await alice.ask(
        "POST", "/api/messages", json={**_DRAFT, "to": ["bob"]}, headers=_key("k")
    )

    assert first.status_code == 201
    for repeated in (again, as_list):
        assert repeated.status_code == 200
        assert repeated.json() == first.json()
        assert repeated.headers["Location"] == first.headers["Location"]
    assert (await alice.get("/api/messages", folder="sent")).json()["total"] == 1


async def test_sends_at_the_same_moment_under_one_key_create_one_message(alice: Agent) -> None:
    answers = await asyncio.gather(
        *(alice.ask("POST", "/api/messages", json=_DRAFT, headers=_key("k")) for _ in range(5))
    )

    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 200, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1


async def test_the_same_key_with_another_body_is_a_conflict(alice: Agent) -> None:
    await alice.ask("POST", "/api/messages", json=_DRAFT, headers=_key("k"))

    other = {**_DRAFT, "body": "another"}
    answer = await alice.ask("POST", "/api/messages", json=other, headers=_key("k"))

    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")


@pytest.mark.parametrize("value", ["", "a b", "x" * 129, "tab\there"])
async def test_an_idempotency_key_has_1_to_128_visible_characters(alice: Agent, value: str) -> None:
    answer = await alice.ask("POST", "/api/messages", json=_DRAFT, headers=_key(value))

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"
    longest = await alice.ask("POST", "/api/messages", json=_DRAFT, headers=_key("~" * 128))
    assert longest.status_code == 201


def test_a_fingerprint_sees_every_field_and_no_order() -> None:
    def of(**fields: object) -> str:
        return fingerprint_of(SendMessage(**{"body": "b", **fields}))  # type: ignore[arg-type] # fields by name

    assert of(to="bob", priority="normal") == of(to="bob") == of(to=["bob"])
    different = {
        "to": "eve",
        "subject": "s",
        "priority": "high",
        "reply_to": "msg_1",
        "thread_id": "thr_1",
        "thread_name": "n",
        "type": "ack",
        "correlation_id": "c",
        "body": "c",
    }
    assert len({of(), *(of(**{name: value}) for name, value in different.items())}) == 10


async def test_a_key_that_only_reads_does_not_send(app: RunningApp, alice: Agent) -> None:
    reader = await app.agent("reader", key=await app.create_key("r", can_send=False))

    answer = await reader.post("/api/messages", _DRAFT)

    assert (answer.status_code, answer.json()["code"]) == (403, "send_not_allowed")
    assert (await reader.get("/api/messages")).status_code == 200


async def test_reading_marks_unless_told_otherwise(app: RunningApp, alice: Agent) -> None:
    bob = app.stranger(alice.key, "bob")
    sent = await alice.send(bob)
    path = f"/api/messages/{sent['id']}"

    assert (await bob.get(path, mark_read=False)).json()["read_at"] is None
    read_at = (await bob.get(path)).json()["read_at"]
    app.clock.advance(60)

    assert read_at is not None
    assert (await bob.get(path)).json()["read_at"] == read_at
    assert (await alice.get(path)).json()["recipient_read_at"] == read_at
