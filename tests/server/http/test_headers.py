"""What every answer carries, and the line that each request leaves in the log."""

import logging
import re

import pytest

from support.app import RunningApp

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


async def test_every_answer_carries_the_security_headers(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    alice = await app.agent("alice")
    answers = [
        await alice.get("/api/mailbox"),
        await alice.get("/api/openapi.json"),
        await alice.get("/api/nothing"),
        await app.client.get("/nothing"),
        await app.client.get("/api/mailbox"),
        await alice.ask("DELETE", "/api/mailbox"),
    ]
    await app.database.close()
    with caplog.at_level(logging.CRITICAL):
        answers.append(await alice.get("/api/mailbox"))

    assert [answer.status_code for answer in answers] == [200, 200, 404, 404, 401, 405, 500]
    for answer in answers:
        assert {name: answer.headers[name] for name in _ALWAYS} == _ALWAYS
        assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/mailbox", "/admin/keys", "/uix"])
async def test_data_runs_nothing_in_a_browser_and_stands_in_no_frame(
    app: RunningApp, path: str
) -> None:
    policy = (await app.client.get(path)).headers["Content-Security-Policy"]

    assert policy == "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize("path", ["/ui", "/ui/", "/ui/session", "/ui/login", "/ui/nothing"])
async def test_the_console_loads_from_here_alone_and_makes_no_markup_of_text(
    app: RunningApp, path: str
) -> None:
    policy = (await app.client.get(path)).headers["Content-Security-Policy"]

    sources = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    assert sources == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


@pytest.mark.parametrize("given", ["a", "A-b_c.9", "x" * 64])
async def test_a_valid_request_id_is_kept(app: RunningApp, given: str) -> None:
    answer = await app.client.get("/", headers={"X-Request-Id": given})

    assert answer.headers["X-Request-Id"] == given


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "a\tb", "a/b", "a;b"])
async def test_any_other_request_id_is_replaced(app: RunningApp, given: str) -> None:
    answers = [await app.client.get("/", headers={"X-Request-Id": given}) for _ in range(2)]

    identifiers = [answer.headers["X-Request-Id"] for answer in answers]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,64}", each) for each in identifiers)
    assert len({given, *identifiers}) == 3


async def test_each_request_leaves_one_line(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    alice = await app.agent("alice")
    caplog.clear()
    with caplog.at_level(logging.INFO, "messenger_server.access"):
        await alice.ask(
            "GET", "/api/messages", params={"search": "secret"}, headers={"X-Request-Id": "r1"}
        )
        await app.client.get("/a%0Ab%20c", headers={"X-Request-Id": "r2"})
        await app.client.get(f"/{alice.key}", headers={"X-Request-Id": "r3"})

    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 3
    assert re.fullmatch(r"GET /api/messages 200 \d+\.\d ms r1 alice", lines[0])
    assert re.fullmatch(r"GET /a%0Ab%20c 404 \d+\.\d ms r2 127\.0\.0\.1", lines[1])
    assert re.fullmatch(r"GET /mk_\[hidden\] 404 \d+\.\d ms r3 127\.0\.0\.1", lines[2])


async def test_promise_4_no_key_stands_in_any_log_line(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        alice, bob = await app.agent("alice"), await app.agent("bob")
        await alice.send(bob)
        await app.stranger("mk_unknown-and-secret", "alice").get("/api/mailbox")
        await app.database.close()
        await alice.get("/api/mailbox")

    for secret in (alice.key, bob.key, "mk_unknown-and-secret"):
        assert secret not in caplog.text
