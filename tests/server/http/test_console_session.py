"""Promise 3: the console opens with its account alone, and its cookie opens nothing else."""

from http.cookies import SimpleCookie
from pathlib import Path
from typing import Final

import httpx2
import pytest

from messenger_core.errors import InvalidCredentials, WrongPassword
from messenger_server.admin.table import ADMIN_ROUTES
from messenger_server.app import ROUTES
from messenger_server.store import account
from messenger_server.store.account import PasswordChange
from messenger_server.store.audit import AuditEntry
from messenger_server.store.fingerprints import fingerprint
from messenger_server.store.sessions import NewSession, find_session, purge_sessions
from support.app import RunningApp, running_app, until
from support.browser import PASSWORD, USERNAME, Browser, browser_at, set_up_account
from support.problems import assert_problem

_ADMIN: Final = [(route.method, route.path) for route in ADMIN_ROUTES]


def _path(pattern: str) -> str:
    return pattern.replace("{", "x").replace("}", "x")


def _set_cookie(answer: httpx2.Response) -> list[str]:
    return answer.headers["Set-Cookie"].split("; ")[1:]


@pytest.mark.parametrize(("method", "path"), _ADMIN)
async def test_promise_3_no_key_opens_the_console(
    owner: Browser, app: RunningApp, method: str, path: str
) -> None:
    alice = await app.agent("alice")
    headers = {**alice.headers, "X-Messenger-Token": alice.key}

    for more in ({}, {"Cookie": f"messenger_session={alice.key}"}):
        answer = await app.client.request(method, _path(path), headers={**headers, **more})
        assert_problem(answer, 401, "console_session_required")
        assert "WWW-Authenticate" not in answer.headers


async def test_promise_3_an_unknown_path_of_the_console_asks_for_a_session_too(
    owner: Browser, app: RunningApp
) -> None:
    for path in ("/admin", "/admin/", "/admin/nothing", "/admin/keys/x/y/z"):
        assert_problem(await app.client.get(path), 401, "console_session_required")
        assert_problem(await owner.get(path), 404, "not_found")


@pytest.mark.parametrize("path", sorted({route.path for route in ROUTES} | {"/api/openapi.json"}))
async def test_promise_3_the_cookie_opens_nothing_of_the_agents(owner: Browser, path: str) -> None:
    for route in ROUTES:
        if route.path == path:
            answer = await owner.ask(route.method, _path(path), headers={"X-Agent-Id": "alice"})
            assert_problem(answer, 401, "api_key_missing")
    assert (await owner.get(_path(path))).status_code in {401, 405}


async def test_promise_3_a_cookie_of_nobody_opens_nothing(owner: Browser, app: RunningApp) -> None:
    (secret,) = owner.cookies.values()

    for cookie in ("", "=", "x", secret[:-1], secret + "x", secret.upper(), fingerprint(secret)):
        headers = {"Cookie": f"messenger_session={cookie}"}
        answer = await app.client.get("/admin/account", headers=headers)
        assert_problem(answer, 401, "console_session_required")


async def test_a_session_lasts_twelve_hours_and_ends_with_the_browser(
    owner: Browser, app: RunningApp
) -> None:
    answer = await owner.sign_in()

    assert (answer.status_code, answer.json()) == (200, {"user": {"username": USERNAME}})
    assert _set_cookie(answer) == ["HttpOnly", "SameSite=Strict", "Path=/"]
    app.clock.advance(12 * 3600 - 1)
    assert (await owner.get("/admin/account")).status_code == 200
    app.clock.advance(1)
    assert_problem(await owner.get("/admin/account"), 401, "console_session_required")
    assert (await owner.get("/ui/session")).json()["authenticated"] is False


async def test_a_remembered_session_lasts_thirty_days(owner: Browser, app: RunningApp) -> None:
    answer = await owner.sign_in(remember=True)

    assert _set_cookie(answer) == ["Max-Age=2592000", "HttpOnly", "SameSite=Strict", "Path=/"]
    app.clock.advance(30 * 24 * 3600 - 1)
    assert (await owner.get("/admin/account")).status_code == 200
    app.clock.advance(1)
    assert_problem(await owner.get("/admin/account"), 401, "console_session_required")


async def test_a_session_survives_a_restart(tmp_path: Path) -> None:
    async with running_app(tmp_path) as app, browser_at(app) as browser:
        await set_up_account(app, browser)
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in browser.cookies.items())}
    async with running_app(tmp_path) as again:
        assert (await again.client.get("/admin/account", headers=headers)).status_code == 200


async def test_the_cookie_is_secure_when_the_browser_came_by_https(tmp_path: Path) -> None:
    async with running_app(tmp_path, trust_proxy=1) as app, browser_at(app) as plain:
        await set_up_account(app, plain)
        behind_proxy = {"X-Forwarded-Proto": "https"}
        body = {"username": USERNAME, "password": PASSWORD}
        answer = await plain.ask("POST", "/ui/login", json=body, headers=behind_proxy)
        (name,) = SimpleCookie(answer.headers["Set-Cookie"])
        cookie = answer.headers["Set-Cookie"].partition(";")[0]

        assert name == "__Host-messenger_session"
        assert _set_cookie(answer) == ["HttpOnly", "SameSite=Strict", "Path=/", "Secure"]
        opened = await app.client.get("/admin/account", headers={"Cookie": cookie, **behind_proxy})
        assert opened.status_code == 200


async def test_behind_tls_a_cookie_that_a_neighbour_could_have_planted_does_not_count(
    tmp_path: Path,
) -> None:
    async with running_app(tmp_path, trust_proxy=1) as app, browser_at(app) as plain:
        await set_up_account(app, plain)

        answer = await plain.ask("GET", "/admin/account", headers={"X-Forwarded-Proto": "https"})

    assert_problem(answer, 401, "console_session_required")


async def test_an_untrusted_proxy_changes_nothing(tmp_path: Path) -> None:
    async with running_app(tmp_path, trust_proxy=None) as app, browser_at(app) as browser:
        await set_up_account(app, browser)
        body = {"username": USERNAME, "password": PASSWORD}
        headers = {"X-Forwarded-Proto": "https"}
        answer = await browser.ask("POST", "/ui/login", json=body, headers=headers)

        assert "Secure" not in answer.headers["Set-Cookie"]
        (session,) = (await browser.done("GET", "/admin/account"))["sessions"]
        assert session["address"] == "127.0.0.1"


async def test_signing_out_ends_the_session_and_takes_the_cookie(
    owner: Browser, app: RunningApp
) -> None:
    cookie = {"Cookie": f"messenger_session={owner.cookies['messenger_session']}"}

    answer = await owner.post("/ui/logout")

    assert (answer.status_code, answer.content) == (204, b"")
    assert owner.cookies == {}
    refused = await app.client.get("/admin/account", headers=cookie)
    assert_problem(refused, 401, "console_session_required")
    assert (await owner.post("/ui/logout")).status_code == 204


async def test_a_new_sign_in_ends_the_session_that_the_browser_had(
    owner: Browser, app: RunningApp
) -> None:
    before = owner.cookies["messenger_session"]

    await owner.sign_in()

    assert owner.cookies["messenger_session"] != before
    assert await find_session(app.database, fingerprint(before)) is None
    assert len((await owner.done("GET", "/admin/account"))["sessions"]) == 1


async def test_every_browser_that_is_signed_in_is_shown(owner: Browser, app: RunningApp) -> None:
    async with browser_at(app) as other:
        app.clock.advance(60)
        await other.sign_in(remember=True)

        account = await owner.done("GET", "/admin/account")

    assert set(account) == {"username", "created_at", "sessions"}
    newest, oldest = account["sessions"]
    assert set(newest) == {
        *("id", "current", "created_at", "last_seen_at", "expires_at", "address", "user_agent")
    }
    assert (newest["current"], oldest["current"]) == (False, True)
    assert newest["id"].startswith("ses_")
    assert newest["created_at"] > oldest["created_at"] == account["created_at"]
    assert (newest["address"], newest["user_agent"]) == ("127.0.0.1", "Browser/1.0")


async def test_when_a_session_was_last_seen_is_written_once_a_minute(
    owner: Browser, app: RunningApp
) -> None:
    async def seen() -> tuple[str, str]:
        (session,) = (await owner.done("GET", "/admin/account"))["sessions"]
        return session["created_at"], session["last_seen_at"]

    app.clock.advance(59)
    first = await seen()
    assert first[0] == first[1]
    app.clock.advance(1)

    async def is_later() -> bool:
        return (await seen())[1] > first[1]

    await until(is_later)


async def test_one_session_can_be_closed(owner: Browser, app: RunningApp) -> None:
    async with browser_at(app) as other:
        await other.sign_in()
        newest = (await owner.done("GET", "/admin/account"))["sessions"][0]["id"]

        assert (await owner.ask("DELETE", f"/admin/account/sessions/{newest}")).status_code == 204

        assert_problem(await other.get("/admin/account"), 401, "console_session_required")
        again = await owner.ask("DELETE", f"/admin/account/sessions/{newest}")
        assert_problem(again, 404, "session_not_found")
    own = (await owner.done("GET", "/admin/account"))["sessions"][0]["id"]
    assert (await owner.ask("DELETE", f"/admin/account/sessions/{own}")).status_code == 204
    assert owner.cookies == {}


async def test_all_others_can_be_closed(owner: Browser, app: RunningApp) -> None:
    async with browser_at(app) as one, browser_at(app) as two:
        await one.sign_in()
        await two.sign_in(remember=True)

        assert (await owner.post("/admin/account/sessions/revoke-others")).status_code == 204

        for other in (one, two):
            assert_problem(await other.get("/admin/account"), 401, "console_session_required")
    assert len((await owner.done("GET", "/admin/account"))["sessions"]) == 1


async def test_a_new_password_closes_every_other_session(owner: Browser, app: RunningApp) -> None:
    async with browser_at(app) as other:
        await other.sign_in(remember=True)
        body = {"current_password": PASSWORD, "new_password": "another horse, another battery"}

        assert (await owner.post("/admin/account/password", body)).status_code == 204

        assert_problem(await other.get("/admin/account"), 401, "console_session_required")
        assert_problem(await other.sign_in(), 401, "invalid_credentials")
        assert (await other.sign_in("another horse, another battery")).status_code == 200
    assert (await owner.get("/admin/account")).status_code == 200


async def test_the_old_password_is_asked_for(owner: Browser) -> None:
    body = {"current_password": "wrong", "new_password": "another horse, another battery"}

    assert_problem(await owner.post("/admin/account/password", body), 403, "wrong_password")
    body = {"current_password": PASSWORD, "new_password": "too short"}
    assert_problem(await owner.post("/admin/account/password", body), 400, "invalid_request")
    assert (await owner.sign_in()).status_code == 200


async def test_the_account_can_be_renamed(owner: Browser) -> None:
    answer = await owner.done("PATCH", "/admin/account", {"username": "somebody"})

    assert answer["username"] == "somebody"
    assert (await owner.get("/ui/session")).json()["user"] == {"username": "somebody"}
    assert_problem(await owner.sign_in(), 401, "invalid_credentials")
    assert (await owner.sign_in(username="somebody")).status_code == 200


async def test_a_wrong_name_and_a_wrong_password_get_one_answer(
    owner: Browser, app: RunningApp
) -> None:
    async with browser_at(app) as other:
        answers = [
            await other.sign_in("wrong"),
            await other.sign_in(username="nobody"),
            await other.sign_in("", username=""),
            await other.sign_in("w" * 256, username="n" * 256),
        ]

    problems = [assert_problem(answer, 401, "invalid_credentials") for answer in answers]
    assert all(problem == problems[0] for problem in problems)
    assert not any("Set-Cookie" in answer.headers for answer in answers)


async def test_without_an_account_nobody_signs_in(app: RunningApp) -> None:
    async with browser_at(app) as browser:
        assert_problem(await browser.sign_in(), 401, "invalid_credentials")


async def test_console_requests_count_for_their_session(tmp_path: Path) -> None:
    async with running_app(tmp_path, rate_limit_max=4, trust_proxy=1) as app:
        async with browser_at(app) as one, browser_at(app, "203.0.113.8") as two:
            await set_up_account(app, one)
            await two.sign_in()

            statuses = [(await one.get("/admin/keys")).status_code for _ in range(5)]

            assert statuses == [200, 200, 200, 200, 429]
            assert (await two.get("/admin/keys")).status_code == 200
        # Whoever is not signed in counts for the address.
        async with browser_at(app) as stranger:
            statuses = [(await stranger.get("/admin/keys")).status_code for _ in range(4)]
            assert statuses == [401, 401, 401, 429]


async def test_expired_sessions_are_forgotten(tmp_path: Path) -> None:
    async with running_app(tmp_path) as app, browser_at(app) as browser:
        await set_up_account(app, browser)
        (secret,) = browser.cookies.values()
    of_secret = fingerprint(secret)
    async with running_app(tmp_path) as later:
        assert await find_session(later.database, of_secret) is not None
        later.clock.advance(12 * 3600)
        await later.database.write(purge_sessions)
        assert await find_session(later.database, of_secret) is None


async def test_a_password_that_changes_while_it_is_checked_opens_nothing(
    owner: Browser, app: RunningApp
) -> None:
    session = NewSession("f", remembered=False, address="203.0.113.1", user_agent=None)
    change = PasswordChange("an older hash", "a newer hash", session_id=1)

    with pytest.raises(InvalidCredentials):
        await app.database.write(account.sign_in, "an older hash", session, None)
    entry = AuditEntry("password_changed")
    with pytest.raises(WrongPassword):
        await app.database.write(account.change_password, change, entry)

    assert (await owner.sign_in()).status_code == 200
