"""The account is made once, by whoever reads the server's log."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from messenger_server.auth.setup_code import SetupCode
from support.app import RunningApp, running_app
from support.browser import PASSWORD, USERNAME, Browser, browser_at, set_up_account
from support.problems import assert_problem

_NOBODY: Final = {"authenticated": False, "setup_required": True, "user": None}


def _body(code: str, /, **other: str) -> dict[str, str]:
    return {"code": code, "username": USERNAME, "password": PASSWORD, **other}


async def test_the_code_makes_the_account_and_signs_its_maker_in(app: RunningApp) -> None:
    async with browser_at(app) as browser:
        assert (await browser.get("/ui/session")).json() == _NOBODY

        made = await browser.post("/ui/setup", _body(app.setup_code))

        assert (made.status_code, made.json()) == (201, {"user": {"username": USERNAME}})
        assert (await browser.get("/ui/session")).json() == {
            "authenticated": True,
            "setup_required": False,
            "user": {"username": USERNAME},
        }
        assert (await browser.get("/admin/account")).status_code == 200


async def test_the_session_of_the_setup_counts_as_not_remembered(app: RunningApp) -> None:
    async with browser_at(app) as browser:
        made = await browser.post("/ui/setup", _body(app.setup_code))
        assert "Max-Age" not in made.headers["Set-Cookie"]

        app.clock.advance(12 * 3600)

        assert_problem(await browser.get("/admin/account"), 401, "console_session_required")


async def test_case_and_dashes_of_the_code_do_not_count(app: RunningApp) -> None:
    spelled = f" {app.setup_code.lower().replace('-', '')[:5]}-{app.setup_code[6:]} "
    async with browser_at(app) as browser:
        assert (await browser.post("/ui/setup", _body(spelled))).status_code == 201


@pytest.mark.parametrize("code", ["", "-", "AAAA-AAAA-AAAA", "é", "x" * 256])
async def test_a_wrong_code_makes_nothing(app: RunningApp, code: str) -> None:
    async with browser_at(app) as browser:
        assert_problem(await browser.post("/ui/setup", _body(code)), 403, "wrong_setup_code")

        assert (await browser.get("/ui/session")).json() == _NOBODY
        assert browser.cookies == {}


async def test_there_is_one_account_whoever_knows_the_code(owner: Browser, app: RunningApp) -> None:
    async with browser_at(app) as other:
        for code in (app.setup_code, "wrong"):
            answer = await other.post("/ui/setup", _body(code, username="thief"))
            assert_problem(answer, 409, "already_set_up")

    assert (await owner.done("GET", "/admin/account"))["username"] == USERNAME


async def test_of_setups_at_one_moment_one_makes_the_account(app: RunningApp) -> None:
    async with browser_at(app) as browser:
        answers = await asyncio.gather(
            *(browser.post("/ui/setup", _body(app.setup_code, username=f"u{n}")) for n in range(5))
        )

    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409]


async def test_the_code_is_new_with_each_server_and_none_is_good_once_there_is_an_account(
    tmp_path: Path,
) -> None:
    async with running_app(tmp_path) as first:
        old = first.setup_code
    async with running_app(tmp_path) as second, browser_at(second) as browser:
        assert second.setup_code != old
        assert_problem(await browser.post("/ui/setup", _body(old)), 403, "wrong_setup_code")
        await set_up_account(second, browser)
    async with running_app(tmp_path) as third, browser_at(third) as browser:
        answer = await browser.post("/ui/setup", _body(third.setup_code))
        assert_problem(answer, 409, "already_set_up")


def test_a_code_can_be_read_aloud() -> None:
    codes = {SetupCode().text for _ in range(50)}

    assert len(codes) == 50
    for code in codes:
        assert [len(group) for group in code.split("-")] == [4, 4, 4]
        assert not set(code) & set("01OILU")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("username", ""),
        ("username", "u" * 65),
        ("password", "short of 12"),
        ("password", "p" * 257),
        ("password", "e\u0301" * 6),
        ("password", "\u0958" * 129),
        ("password", "e" + "\u0301\u0316" * 2_000),
        ("password", " " * 12),
        ("password", "\u3164\u200b" * 6),
        ("username", " \u3164"),
        ("password", "with a NUL \x00 in it"),
        ("code", "c" * 257),
    ],
)
async def test_values_beyond_their_limits_are_refused_and_cost_no_try(
    app: RunningApp, field: str, value: str
) -> None:
    async with browser_at(app) as browser:
        for _ in range(11):
            answer = await browser.post("/ui/setup", _body(app.setup_code, **{field: value}))
            problem = assert_problem(answer, 400, "invalid_request")
            assert problem["errors"][0]["field"] == field
            assert value not in problem["detail"] or not value


async def test_the_longest_name_and_password_open_the_account(app: RunningApp) -> None:
    name, password = "é" * 64, "日" * 256
    async with browser_at(app) as browser:
        body = _body(app.setup_code, username=name, password=password)
        assert (await browser.post("/ui/setup", body)).status_code == 201
        assert (await browser.sign_in(password, username=name)).status_code == 200


async def test_a_password_is_the_same_however_its_letters_are_composed(app: RunningApp) -> None:
    async with browser_at(app) as browser:
        await browser.post(
            "/ui/setup", _body(app.setup_code, password="caf\u00e9 caf\u00e9 caf\u00e9")
        )

        answer = await browser.sign_in("cafe\u0301 cafe\u0301 cafe\u0301")

    assert answer.status_code == 200


async def test_a_password_is_as_long_as_what_is_hashed_of_it(owner: Browser) -> None:
    letters = "e\u0301" * 255 + "x"
    change = {"current_password": PASSWORD, "new_password": letters}

    for short in ("e\u0301" * 6, " " * 12):
        answer = await owner.post("/admin/account/password", {**change, "new_password": short})
        problem = assert_problem(answer, 400, "invalid_request")
        assert problem["errors"][0]["field"] == "new_password"

    assert (await owner.post("/admin/account/password", change)).status_code == 204
    assert (await owner.sign_in("\u00e9" * 255 + "x")).status_code == 200
    assert (await owner.sign_in(letters)).status_code == 200
