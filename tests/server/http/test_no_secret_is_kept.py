"""Promise 4: no secret is stored in clear, or stands in a log, an answer or a URL."""

import base64
import hashlib
import logging
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from support.app import running_app
from support.browser import PASSWORD, USERNAME, Browser, browser_at, set_up_account

_NEW_PASSWORD: Final = "another horse, another battery"
_WRONG_PASSWORD: Final = "Tr0ub4dor and 3 more"

Json = dict[str, Any]  # Any: a JSON document


def _forms(secret: str) -> dict[str, bytes]:
    """How a secret could stand somewhere, were it kept by mistake."""
    raw = secret.encode()
    return {
        "itself": raw,
        "its second half": raw[len(raw) // 2 :],
        "hexadecimal": raw.hex().encode(),
        "base64": base64.b64encode(raw).rstrip(b"="),
        "an unsalted hash": hashlib.sha256(raw).hexdigest().encode(),
    }


class _Life:
    """A full life of an account and its keys; what was secret in it, and every answer."""

    def __init__(self) -> None:
        self.answers: list[httpx2.Response] = []
        self.keys: list[Json] = []
        self.cookies: list[str] = []

    async def ask(self, browser: Browser, method: str, path: str, body: Json | None = None) -> Json:
        answer = await browser.ask(method, path, **({} if body is None else {"json": body}))
        self.answers.append(answer)
        if "Set-Cookie" in answer.headers:
            value = answer.headers["Set-Cookie"].partition(";")[0].partition("=")[2]
            self.cookies += [value] if value else []
        document: Json = answer.json() if answer.content else {}
        if "secret" in document:
            self.keys.append(document)
        return document


async def _live(life: _Life, browser: Browser) -> None:
    def login(password: str) -> Json:
        return {"username": USERNAME, "password": password, "remember": True}

    change = {"current_password": _WRONG_PASSWORD, "new_password": _NEW_PASSWORD}
    await life.ask(browser, "POST", "/ui/login", login(_WRONG_PASSWORD))
    await life.ask(browser, "POST", "/ui/login", {**login("x"), "username": _WRONG_PASSWORD})
    await life.ask(browser, "POST", "/ui/login", login(PASSWORD))
    await life.ask(browser, "POST", "/admin/account/password", change)
    change["current_password"] = PASSWORD
    await life.ask(browser, "POST", "/admin/account/password", change)
    await life.ask(browser, "POST", "/ui/login", login(_NEW_PASSWORD))
    wanted = {"name": "k", "agent_name": "planner", "lifetime_days": 30}
    created = await life.ask(browser, "POST", "/admin/keys", wanted)
    key = f"/admin/keys/{created['key']['id']}"
    await life.ask(browser, "PATCH", key, {"name": "renamed"})
    await life.ask(browser, "POST", f"{key}/extend", {"days": 1})
    await life.ask(browser, "POST", f"{key}/rotate")
    await life.ask(browser, "POST", f"{key}/revoke")
    for path in (key, "/admin/keys", "/admin/account", "/admin/audit", "/ui/session"):
        await life.ask(browser, "GET", path)


async def test_promise_4_after_a_full_life_no_secret_is_found_anywhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    life = _Life()
    async with running_app(tmp_path) as app, browser_at(app) as browser:
        code = app.setup_code
        await set_up_account(app, browser)
        life.cookies += browser.cookies.values()
        await _live(life, browser)
        for created in life.keys:
            agent = app.stranger(created["secret"], "planner")
            life.answers.append(await agent.post("/api/agents/register", {}))
            life.answers.append(await agent.get("/api/mailbox"))
            # A mistake: what it says of it goes back to whoever made it, and nowhere else.
            await agent.get(f"/api/agents/{created['secret']}")
    files = _files(tmp_path)
    assert files["messenger.db"]
    assert len(life.keys) == 2
    assert len(life.cookies) >= 3

    ours = [record for record in caplog.records if not record.name.startswith("httpx2")]
    log = "\n".join(map(logging.Formatter().format, ours)).encode()
    assert b"POST /ui/login" in log
    answers = b"\n".join(_shown(answer, life.keys) for answer in life.answers)
    secrets = [PASSWORD, _NEW_PASSWORD, _WRONG_PASSWORD, code, *life.cookies]
    secrets += [created["secret"] for created in life.keys]
    for secret in secrets:
        is_random = secret in life.cookies or secret.startswith("mk_")
        for form, value in _forms(secret).items():
            where = [name for name, content in files.items() if value in content]
            # What is random is kept as its fingerprint.
            assert where == [] or (is_random and form == "an unsalted hash"), (form, where)
            assert value not in log, form
            assert value not in answers, form


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _shown(answer: httpx2.Response, keys: list[Json]) -> bytes:
    """An answer's head and body, less the cookie it sets and the one secret that it creates."""
    headers = [f"{k}: {v}" for k, v in answer.headers.items() if k.lower() != "set-cookie"]
    text = "\n".join([*headers, answer.text])
    for created in keys:
        if answer.status_code == 201 and text.count(created["secret"]) == 1:
            text = text.replace(created["secret"], "")
    return text.encode()
