"""Guessing is slow: ten wrong tries in a quarter of an hour for one client address."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from messenger_core.errors import Busy, InvalidCredentials, TooManyTries
from messenger_server.auth.attempts import Attempts
from messenger_server.auth.passwords import Passwords
from support.app import RunningApp, SetClock, running_app
from support.browser import PASSWORD, USERNAME, Browser, browser_at, set_up_account
from support.problems import assert_problem


def _proxied(folder: Path) -> AbstractAsyncContextManager[RunningApp]:
    return running_app(folder, trust_proxy=1)


@asynccontextmanager
async def _failed(app: RunningApp, address: str, times: int) -> AsyncIterator[Browser]:
    """A browser that tried so many wrong passwords."""
    async with browser_at(app, address) as browser:
        for _ in range(times):
            assert_problem(await browser.sign_in("wrong"), 401, "invalid_credentials")
        yield browser


def _assert_stopped(answer: httpx2.Response, seconds: int) -> None:
    problem = assert_problem(answer, 429, "too_many_tries")
    assert problem["retry_after_seconds"] == seconds


async def test_the_eleventh_try_is_refused_even_with_the_right_password(
    owner: Browser, app: RunningApp
) -> None:
    for _ in range(10):
        assert_problem(await owner.sign_in("wrong"), 401, "invalid_credentials")
    app.clock.advance(600.5)

    _assert_stopped(await owner.sign_in(), 300)

    app.clock.advance(299.5)
    assert (await owner.sign_in()).status_code == 200


async def test_the_three_forms_share_one_counter(owner: Browser) -> None:
    change = {"current_password": "wrong", "new_password": "another horse, another battery"}
    for _ in range(5):
        assert_problem(await owner.sign_in("wrong"), 401, "invalid_credentials")
        answer = await owner.post("/admin/account/password", change)
        assert_problem(answer, 403, "wrong_password")

    _assert_stopped(await owner.sign_in("wrong"), 900)
    _assert_stopped(await owner.post("/admin/account/password", change), 900)


async def test_wrong_setup_codes_are_counted_too(app: RunningApp) -> None:
    async with browser_at(app) as browser:
        body = {"code": "wrong", "username": USERNAME, "password": PASSWORD}
        for _ in range(10):
            assert_problem(await browser.post("/ui/setup", body), 403, "wrong_setup_code")

        _assert_stopped(await browser.post("/ui/setup", {**body, "code": app.setup_code}), 900)
        _assert_stopped(await browser.sign_in(), 900)


async def test_what_succeeds_is_not_counted(owner: Browser) -> None:
    for _ in range(12):
        assert (await owner.sign_in()).status_code == 200


async def test_each_address_behind_a_trusted_proxy_has_its_own_tries(tmp_path: Path) -> None:
    async with _proxied(tmp_path) as app:
        async with browser_at(app, "203.0.113.1") as owner:
            await set_up_account(app, owner)
        async with _failed(app, "203.0.113.2", 10) as guessing:
            _assert_stopped(await guessing.sign_in(), 900)
            # What the proxy did not add changes nothing.
            invented = {"X-Forwarded-For": "198.51.100.9, 203.0.113.2"}
            body = {"username": USERNAME, "password": PASSWORD}
            answer = await guessing.ask("POST", "/ui/login", json=body, headers=invented)
            _assert_stopped(answer, 900)
        async with browser_at(app, "203.0.113.3") as other:
            assert (await other.sign_in()).status_code == 200


async def test_a_client_that_walks_through_its_ipv6_network_is_one(tmp_path: Path) -> None:
    async with _proxied(tmp_path) as app:
        async with browser_at(app, "2001:db8:0:1::1") as owner:
            await set_up_account(app, owner)
        for number in range(10):
            async with browser_at(app, f"2001:db8:0:2:{number:x}::{number:x}") as browser:
                assert_problem(await browser.sign_in("wrong"), 401, "invalid_credentials")
        async with browser_at(app, "2001:db8:0:2:abcd::1") as browser:
            _assert_stopped(await browser.sign_in(), 900)
        async with browser_at(app, "2001:db8:0:3::1") as neighbour:
            assert (await neighbour.sign_in()).status_code == 200
            sessions = (await neighbour.done("GET", "/admin/account"))["sessions"]

    # What is shown and kept is the whole address.
    assert {session["address"] for session in sessions} == {"2001:db8:0:1::1", "2001:db8:0:3::1"}


async def test_an_untrusted_proxy_names_nobody(owner: Browser, app: RunningApp) -> None:
    for number in range(10):
        async with browser_at(app, f"203.0.113.{number}") as browser:
            assert_problem(await browser.sign_in("wrong"), 401, "invalid_credentials")

    _assert_stopped(await owner.sign_in(), 900)


async def test_a_hundred_tries_at_once_are_no_way_around(owner: Browser) -> None:
    answers = await asyncio.gather(*(owner.sign_in("wrong") for _ in range(100)))

    statuses = [answer.status_code for answer in answers]
    assert statuses.count(401) == 10
    assert statuses.count(429) == 90


def test_a_try_that_could_not_be_made_is_not_counted() -> None:
    attempts = Attempts(SetClock())

    for _ in range(20):
        with pytest.raises(Busy), attempts.trying("203.0.113.1"):
            raise Busy
    for _ in range(10):
        with pytest.raises(InvalidCredentials), attempts.trying("203.0.113.1"):
            raise InvalidCredentials


def _fail(attempts: Attempts, times: int) -> None:
    for _ in range(times):
        with pytest.raises(InvalidCredentials), attempts.trying("203.0.113.1"):
            raise InvalidCredentials


def test_each_try_counts_for_a_quarter_of_an_hour_of_its_own() -> None:
    clock = SetClock()
    attempts = Attempts(clock)
    _fail(attempts, 6)
    clock.advance(600)
    _fail(attempts, 4)

    with pytest.raises(TooManyTries) as refusal, attempts.trying("203.0.113.1"):
        pass
    assert refusal.value.retry_after_seconds == 300

    clock.advance(300)
    _fail(attempts, 6)
    with pytest.raises(TooManyTries), attempts.trying("203.0.113.1"):
        pass


@pytest.mark.parametrize("next_address", ["203.0.113.1", "203.0.113.2"])
def test_a_try_may_outlive_the_memory_of_its_address(next_address: str) -> None:
    clock = SetClock()
    attempts = Attempts(clock)

    with attempts.trying("203.0.113.1"):
        clock.advance(15 * 60)
        with pytest.raises(InvalidCredentials), attempts.trying(next_address):
            raise InvalidCredentials

    assert list(attempts._tries) == [next_address]


def test_so_many_addresses_are_remembered_and_no_more() -> None:
    clock = SetClock()
    attempts = Attempts(clock)

    for number in range(100_050):
        with pytest.raises(InvalidCredentials), attempts.trying(f"address {number}"):
            raise InvalidCredentials

    assert len(attempts._tries) == 100_000
    clock.advance(15 * 60)
    with attempts.trying("another"):
        pass
    assert len(attempts._tries) == 0


async def test_so_many_passwords_wait_and_no_more() -> None:
    passwords = Passwords(14)
    results = await asyncio.gather(
        *(passwords.is_right("wrong", None) for _ in range(25)), return_exceptions=True
    )
    passwords.close()

    assert [result for result in results if isinstance(result, bool)] == [False] * 20
    assert sum(isinstance(result, Busy) for result in results) == 5
