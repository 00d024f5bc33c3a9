"""The console on a large server, and the browser that it is opened in."""

import contextlib
import json
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from messenger_core.migrate import HEAD_REVISION
from tools.bench.bases import Shape, grow
from tools.bench.client import BenchFailure, Endpoint
from tools.bench.processes import ROOT, create_key, running_module, running_server
from tools.bench.running import Bench

_FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_FIRST_ROW: Final = """
const look = new MutationObserver(() => {
  if (!document.querySelector("[data-thread]")?.checkVisibility()) return;
  look.disconnect();
  // The next frame paints it; what runs after that frame's own work finds it painted.
  requestAnimationFrame(() => setTimeout(() => { window.paintedAt = performance.now(); }));
});
look.observe(document, { childList: true, subtree: true, attributes: true });
"""
_JSON: Final = {"Content-Type": "application/json"}
_MAILBOXES_PER_AGENT: Final = 20
_MESSAGES_PER_THREAD: Final = 5
_START_SECONDS: Final = 30


class Stage(NamedTuple):
    """The server with its console, the page of one line, and the browser that opens both."""

    server: Endpoint
    floor: Endpoint
    key: str
    cookie: Mapping[str, str]
    """Of the owner's session: name and value."""
    browser: Browser


@contextlib.contextmanager
def console_stage(bench: Bench) -> Iterator[Stage]:
    """A server with the mail of a large fleet, somebody signed in, and a browser.

    While it is there this thread has a running loop.
    """
    database = bench.folder / "console.db"
    shutil.copy(_grown(bench), database)
    key = create_key(database)
    with (
        running_server(database) as (_, server),
        running_module("tools.bench.floor_page", bench.folder / "floor_page.log") as floor,
        sync_playwright() as play,
    ):
        cookie = _sign_in(server, database.with_suffix(".log"))
        browser = play.chromium.launch(executable_path=_chromium(), args=list(_FLAGS))
        try:
            yield Stage(server, floor, key, cookie, browser)
        finally:
            browser.close()


@contextlib.contextmanager
def opened(stage: Stage, endpoint: Endpoint, path: str) -> Iterator[tuple[Page, float]]:
    """A page in a new context, with the milliseconds until its first row was painted."""
    context = stage.browser.new_context(
        locale="en-US", viewport={"width": 1280, "height": 800}, base_url=endpoint.url
    )
    name, value = stage.cookie["name"], stage.cookie["value"]
    context.add_cookies([{"name": name, "value": value, "url": stage.server.url}])
    page = context.new_page()
    page.add_init_script(_FIRST_ROW)
    page.goto(path, wait_until="commit")
    page.wait_for_function("() => window.paintedAt")
    try:
        yield page, page.evaluate("() => window.paintedAt")
    finally:
        context.close()


def cpu_seconds(browser: Browser) -> float:
    """What all processes of the browser have computed so far."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(float(process["cpuTime"]) for process in processes)


def ask(stage: Stage, method: str, path: str, headers: dict[str, str], body: object = None) -> Any:
    """The document that the server answers with.

    Raises:
        BenchFailure: it refused.
    """
    with contextlib.closing(HTTPConnection(*stage.server)) as asking:
        asking.request(method, path, json.dumps(body), {**headers, **_JSON})
        answer = asking.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise BenchFailure(f"{method} {path}: {answer.status} {text!r}")
        return json.loads(text)


def _grown(bench: Bench) -> Path:
    """The large fleet's database; what an earlier run left in the cache is used again."""
    messages, mailboxes = bench.sizes.console_messages, bench.sizes.console_mailboxes
    database = bench.cache / f"console-{HEAD_REVISION}-{messages}-{mailboxes}.db"
    if not database.exists():
        unfinished = database.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        grow(unfinished, messages, Shape(mailboxes, _MAILBOXES_PER_AGENT, _MESSAGES_PER_THREAD))
        unfinished.replace(database)
    return database


def _sign_in(server: Endpoint, log: Path) -> dict[str, str]:
    """Makes the account; name and value of the session's cookie."""
    code = _setup_code(log)
    body = {"code": code, "username": "bench", "password": secrets.token_hex(16)}
    with contextlib.closing(HTTPConnection(*server)) as asking:
        asking.request("POST", "/ui/setup", json.dumps(body), _JSON)
        answer = asking.getresponse()
        text = answer.read()
        if answer.status != 201:
            raise BenchFailure(f"no account could be made: {text!r}")
        cookies = SimpleCookie(answer.headers["Set-Cookie"])
    (cookie,) = cookies.values()
    return {"name": cookie.key, "value": cookie.value}


def _setup_code(log: Path) -> str:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        found = re.search(r"setup code: (\S+)", log.read_text(encoding="utf-8"))
        if found:
            return found[1]
        time.sleep(0.05)
    raise BenchFailure(f"the server tells no setup code: {log.read_text(encoding='utf-8')}")


def _chromium() -> str:
    done = subprocess.run(
        [str(ROOT / "tools" / "chromium")], capture_output=True, check=False, encoding="utf-8"
    )
    if done.returncode != 0:
        raise BenchFailure(done.stderr.strip())
    return done.stdout.strip()
