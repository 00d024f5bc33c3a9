"""The console in a real Chromium: pages with guards, what runs in them, and how they look."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal

from filelock import FileLock
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, sync_playwright

from support.fleet import Fleet

ROOT: Final = Path(__file__).parents[2]
_FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_WATCH_VIOLATIONS: Final = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`);
});
"""
Locale = Literal["en-US", "fr-FR"]
Scheme = Literal["light", "dark"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser. While it is open this thread has a running loop: end it before an async test."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=_chromium_path(), args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@cache
def _chromium_path() -> str:
    (ROOT / ".tools").mkdir(exist_ok=True)
    # One of the processes that test brings it; the others find it.
    with FileLock(ROOT / ".tools" / "chromium.lock"):
        done = subprocess.run(
            [ROOT / "tools" / "chromium"], capture_output=True, encoding="utf-8", check=False
        )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Guards:
    """What must not happen in a page; `check` fails when something of it did."""

    def __init__(self, page: Page, url: str) -> None:
        self._origin = url
        self._faults: list[str] = []
        self._statuses: set[int] = set()
        self._is_away_expected = False
        self._is_tried = False
        page.on("pageerror", lambda error: self._faults.append(f"error in the page: {error}"))
        page.on("console", self._on_console)
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.add_init_script(_WATCH_VIOLATIONS)

    def expect_status(self, *statuses: int) -> None:
        """Answers with these statuses belong to the test: 4xx and 5xx are logged by browsers."""
        self._statuses.update(statuses)

    def expect_away(self) -> None:
        """The server is stopped in this test: requests may fail."""
        self._is_away_expected = True

    def are_tried(self) -> None:
        """The guards themselves are the test: `check` passes whatever happened."""
        self._is_tried = True

    @property
    def faults(self) -> list[str]:
        """What happened so far, without what was expected."""
        return self._faults

    def check(self) -> None:
        """Fails when something happened.

        Raises:
            AssertionError: with everything that did.
        """
        assert self._is_tried or not self._faults, "\n".join(self._faults)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type not in {"error", "warning"}:
            return
        status = re.search(r"server responded with a status of (\d+)", message.text)
        if status and int(status[1]) in self._statuses:
            return
        if self._is_away_expected and "Failed to load resource" in message.text:
            return
        self._faults.append(f"console {message.type}: {message.text}")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self._origin + "/", "about:")):
            self._faults.append(f"request to another place: {request.url}")

    def _on_response(self, response: Response) -> None:
        if response.status >= 500 and response.status not in self._statuses:
            self._faults.append(f"{response.status} of {response.url}")


class ConsolePages:
    """Makes pages at a fleet's console; each has guards, checked when the pages are closed."""

    def __init__(self, browser: Browser, fleet: Fleet) -> None:
        self._browser = browser
        self._fleet = fleet
        self._guards: list[tuple[Page, Guards]] = []

    def open(
        self,
        path: str = "/ui/",
        *,
        locale: Locale = "en-US",
        scheme: Scheme = "light",
        width: int = 1280,
        height: int = 800,
        signed_in: bool = True,
    ) -> Page:
        """A page in a context of its own, shown and ready for the first step."""
        context = self._browser.new_context(
            base_url=self._fleet.url,
            locale=locale,
            color_scheme=scheme,
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
        )
        context.set_default_timeout(5000)
        if signed_in:
            pairs = [cookie.partition("=") for cookie in self._fleet.sign_in()]
            url = self._fleet.url
            context.add_cookies(
                [{"name": name, "value": value, "url": url} for name, _, value in pairs]
            )
        page = context.new_page()
        self._guards.append((page, Guards(page, self._fleet.url)))
        page.goto(path)
        page.locator(".console, .card, form").first.wait_for()
        return page

    def guards(self, page: Page) -> Guards:
        """The guards of a page."""
        return next(guards for known, guards in self._guards if known is page)

    def close(self) -> None:
        """Closes all pages.

        Raises:
            AssertionError: something happened in one that must not.
        """
        for page, _ in self._guards:
            page.context.close()
        for _, guards in self._guards:
            guards.check()


def run(page: Page, module: str, script: str, argument: object = None) -> Any:
    """Runs a function on a module of the page: `run(page, "model/names.js", "(it, x) => …", x)`."""
    return page.evaluate(
        """async ([name, argument]) => {
          const source = document.querySelector("script[type=module]").src;
          const module = await import(new URL(name, source).href);
          return (SCRIPT)(module, argument);
        }""".replace("SCRIPT", script),
        [module, argument],
    )


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def axe(page: Page, *rules: str) -> list[str]:
    """What axe finds in the page as it is shown: one line for each rule, with where.

    All rules, unless some are named.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_axe())
    how = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate(
        """async (how) => (await axe.run(document, how)).violations
          .map((rule) => `${rule.id}: ${rule.help}: `
            + rule.nodes.slice(0, 3)
              .map((node) => `${node.target} ${node.html.slice(0, 160)}`).join(" | "))""",
        how,
    )
    return [str(line) for line in found]


def screenshot(page: Page, name: str) -> None:
    """Keeps how the page looks, where `MESSENGER_SCREENSHOTS` names a folder."""
    folder = os.environ.get("MESSENGER_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"))
