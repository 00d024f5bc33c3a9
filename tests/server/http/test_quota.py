"""The quota: for a mailbox, else for a client address; what does not count; when it is over."""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from pathlib import Path

import httpx2

from messenger_server.clock import Clock
from messenger_server.quota import Quota
from support.app import RunningApp, running_app


def _limited(
    folder: Path, most: int, trust_proxy: int | None = None
) -> AbstractAsyncContextManager[RunningApp]:
    return running_app(folder, rate_limit_max=most, trust_proxy=trust_proxy)


async def _statuses(app: RunningApp, count: int, address: str) -> list[int]:
    return [
        (await app.client.get("/nothing", headers={"X-Forwarded-For": address})).status_code
        for _ in range(count)
    ]


def _assert_limited(answer: httpx2.Response, seconds: int) -> None:
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert answer.headers["Retry-After"] == str(seconds)


async def test_a_mailbox_has_its_window_and_another_mailbox_its_own(tmp_path: Path) -> None:
    async with _limited(tmp_path, 5) as app:
        alice, bob = await app.agent("alice"), await app.agent("bob")
        for _ in range(5):
            assert (await alice.get("/api/mailbox")).status_code == 200
        app.clock.advance(600.5)

        _assert_limited(await alice.get("/api/mailbox"), 300)
        assert (await bob.get("/api/mailbox")).status_code == 200

        app.clock.advance(299.5)
        assert (await alice.get("/api/mailbox")).status_code == 200


async def test_the_last_moment_of_a_window_says_one_second(tmp_path: Path) -> None:
    async with _limited(tmp_path, 1) as app:
        assert await _statuses(app, 1, "") == [404]
        app.clock.advance(899.99)

        _assert_limited(await app.client.get("/nothing"), 1)


async def test_requests_without_a_mailbox_count_for_the_client_address(tmp_path: Path) -> None:
    async with _limited(tmp_path, 3, trust_proxy=1) as app:
        assert await _statuses(app, 4, "203.0.113.1") == [404, 404, 404, 429]
        assert await _statuses(app, 1, "203.0.113.2") == [404]
        # What the proxy did not add changes nothing.
        assert await _statuses(app, 1, "198.51.100.7, 203.0.113.1") == [429]


async def test_a_client_has_one_window_for_its_whole_ipv6_network(tmp_path: Path) -> None:
    async with _limited(tmp_path, 2, trust_proxy=1) as app:
        assert await _statuses(app, 1, "2001:db8::1") == [404]
        assert await _statuses(app, 1, "2001:db8::ffff:0:1") == [404]
        assert await _statuses(app, 1, "2001:db8::2") == [429]
        assert await _statuses(app, 1, "2001:db8:0:1::1") == [404]
        assert await _statuses(app, 2, "::ffff:203.0.113.1") == [404, 404]
        assert await _statuses(app, 1, "203.0.113.1") == [429]


async def test_refused_callers_count_for_their_address_and_not_for_a_mailbox(
    tmp_path: Path,
) -> None:
    async with _limited(tmp_path, 4) as app:
        alice = await app.agent("alice")
        guessing = app.stranger("mk_guess", "alice")

        statuses = [(await guessing.get("/api/mailbox")).status_code for _ in range(4)]

        assert statuses == [401, 401, 401, 429]  # one was the registration of a new mailbox
        assert (await alice.get("/api/mailbox")).status_code == 200


async def test_a_limit_of_zero_limits_nobody(tmp_path: Path) -> None:
    async with _limited(tmp_path, 0) as app:
        assert await _statuses(app, 50, "203.0.113.1") == [404] * 50


async def test_a_wait_that_hands_something_over_does_not_count(tmp_path: Path) -> None:
    async with _limited(tmp_path, 4) as app:
        alice, bob = await app.agent("alice"), await app.agent("bob")
        await alice.send(bob)

        for _ in range(10):
            answer = await bob.get("/api/wait", after=0, timeout_seconds=0)
            assert answer.json()["messages"]
        statuses = [(await bob.get("/api/wait", timeout_seconds=0)).status_code for _ in range(5)]

        assert statuses == [200, 200, 200, 200, 429]


def test_so_many_callers_are_remembered_and_no_more() -> None:
    quota = Quota(1, timedelta(minutes=1), Clock())

    for number in range(100_050):
        quota.take(f"address {number}")

    assert len(quota._windows) == 100_000
