"""Hostile content: every text that agents can write, in every view, stays text.

Nothing runs, nothing is loaded from elsewhere, nothing leaves the page; the guards of every page
see errors, violations of the policy and requests to other places.
"""

import base64
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from support.console_page import ConsolePages
from support.fleet import PASSWORD, USERNAME, Fleet
from support.hostile import ALL, LINKS, MARKUP, NAMES

_ARMED = """
window.__asked = [];
for (const name of ["alert", "confirm", "prompt", "open", "print"]) {
  window[name] = () => window.__asked.push(name);
}
"""
_STATE = """() => ({
  ran: "__pwned" in window || "__pwned" in Object.prototype,
  asked: window.__asked,
  scripts: [...document.scripts].filter((node) => !node.src.startsWith(location.origin)).length,
  elements: [...document.querySelectorAll(
    "iframe, object, embed, img, video, style, base, math, form[action], dialog:not(.dialog), x-a"
  )].map((node) => node.outerHTML.slice(0, 100)),
  handlers: [...document.querySelectorAll("*")].filter((node) =>
    node.getAttributeNames().some((name) => name.startsWith("on"))).length,
  styles: [...document.querySelectorAll("[style]")].flatMap((node) => [...node.style])
    .filter((name) => !name.startsWith("--")),
  twice: [...document.querySelectorAll("[id]")].map((node) => node.id)
    .filter((id, at, all) => all.indexOf(id) !== at),
  prototype: Object.keys(Object.prototype),
})"""
_SAFE = {
    "ran": False,
    "asked": [],
    "scripts": 0,
    "elements": [],
    "handlers": 0,
    "styles": [],
    "twice": [],
    "prototype": [],
}


def check(page: Page) -> None:
    """Nothing ran, nothing became an element, every link is one that may be followed.

    Raises:
        AssertionError: something did.
    """
    assert page.evaluate(_STATE) == _SAFE
    hrefs = page.locator("a[href]").evaluate_all("(all) => all.map((a) => a.getAttribute('href'))")
    for href in hrefs:
        assert re.match(r"(https?://|mailto:)[^\s\\]|/admin/attachments/att_\w+$|#main$", href), (
            href
        )
    assert page.url.startswith("http://127.0.0.1:")


def cut(text: str, most: int) -> str:
    """As much of a text as a field takes."""
    return text[:most].strip() or "-"


@pytest.fixture(scope="module")
def hostile(fleet: Fleet) -> list[Any]:
    """A message for each text: it is the body, the subject, every name, and the file's name."""
    sent = []
    for number, text in enumerate(ALL):
        name = f"hostile-{number}"
        register(fleet, name, text)
        file = {"filename": cut(re.split(r"[/\\]", text)[-1], 200), "content_base64": _FILE}
        draft = {"thread_name": cut(text, 120), "attachments": [file]}
        sent.append(fleet.send(name, "ann", cut(text, 200), text, **draft))
        path = f"/api/threads/{sent[-1]['thread_id']}"
        fleet.ask("PATCH", path, fleet.as_mailbox(name), {"description": cut(text, 1000)})
    return sent


_FILE = base64.b64encode(b"harmless").decode()


def register(fleet: Fleet, name: str, text: str) -> None:
    """A mailbox whose every name is the text."""
    body = {
        "agent_name": cut(text, 120),
        "display_name": cut(text, 120),
        "description": cut(text, 1000),
        "agent_description": cut(text, 1000),
    }
    found = fleet.ask("POST", "/api/agents/register", fleet.bearer, body)
    fleet.mailboxes[name] = found["mailbox"]["id"]


@pytest.fixture
def armed(pages: ConsolePages) -> Iterator[Page]:
    """A page in which whatever runs is noticed; checked once more at the end."""
    page = pages.open("/ui/")
    page.add_init_script(_ARMED)
    dialogs: list[str] = []
    popups: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.context.on("page", lambda opened: popups.append(opened.url))
    page.reload()
    yield page
    check(page)
    assert not dialogs
    assert not popups


_OVERRIDES = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""What would have a name read backwards is not shown."""


def show_all_threads(page: Page) -> None:
    """Scrolls until the list has every thread."""
    rows = page.locator("[data-thread]")
    rows.first.wait_for()
    while rows.count() < len(ALL):
        before = rows.count()
        rows.last.scroll_into_view_if_needed()
        expect(rows.nth(before)).to_be_attached()


_READ = """async ({ thread_id: thread, id }) => {
  const until = async (selector) => {
    for (let waited = 0; waited < 500; waited += 1) {
      const found = document.querySelector(selector);
      if (found) return found;
      await new Promise((go) => setTimeout(go, 10));
    }
    throw new Error(`${selector} does not come`);
  };
  document.querySelector(`[data-thread=${thread}]`).click();
  const band = await until(`[data-message=${id}] h3 button`);
  band.click();
  await until(`[data-message=${id}] .prose`);
  return {
    thread_title: document.querySelector("#reader h2").textContent,
    subject: band.querySelector(".band-subject").textContent,
    filename: document.querySelector("#reader a.file").download,
  };
}"""


def test_every_text_is_read_as_it_was_written(armed: Page, hostile: list[Any]) -> None:
    show_all_threads(armed)
    check(armed)
    for sent in hostile:
        filename = sent["attachments"][0]["filename"]
        told = {"thread_title": sent["thread_title"], "subject": sent["subject"]}
        read = armed.evaluate(_READ, {"thread_id": sent["thread_id"], "id": sent["id"]})
        written = {**told, "filename": filename}
        assert read == {name: _OVERRIDES.sub("", text) for name, text in written.items()}
        check(armed)


def shown(text: str) -> Any:
    """A text as a page has it, whatever its blanks became."""
    words = (re.escape(word) for word in re.split(r"[\s\u200b\u2060\ufeff]+", text) if word)
    return re.compile(r"[\s\u200b\u2060\ufeff]*".join(words))


def test_no_name_is_read_backwards(page: Page, fleet: Fleet) -> None:
    file = {"filename": "ev\u202egpj.exe", "content_base64": "eA=="}
    title = "safe\u2066 and sound"
    sent = fleet.send("ann", "bob", title, "x", thread_name=title, attachments=[file])

    page.goto(f"/ui/?thread={sent['thread_id']}&message={sent['id']}")

    expect(page.locator(".file-name")).to_have_text("evgpj.exe")
    expect(page.locator(".file")).to_have_attribute("download", "evgpj.exe")
    expect(page.locator(".reader-title")).to_have_text("safe and sound")


def test_details_tell_them_as_they_are(armed: Page, hostile: list[Any]) -> None:
    window = armed.get_by_role("dialog")
    for text, sent in zip(ALL, hostile, strict=True):
        if text not in NAMES:
            continue
        armed.locator(f"[data-thread={sent['thread_id']}]").click()
        armed.locator(f"[data-message={sent['id']}] .message-head .icon-button").click()
        for name in (sent["subject"], sent["from"]["agent_name"], sent["from"]["display_name"]):
            expect(window.get_by_text(name, exact=True).first).to_be_visible()
        check(armed)
        armed.keyboard.press("Escape")


def test_the_agents_column_shows_names(armed: Page, hostile: list[Any]) -> None:
    column = armed.get_by_role("complementary", name="Agents")
    column.get_by_role("button", name="All agents").wait_for()
    folds = column.locator("button[aria-expanded=false]")
    folds.evaluate_all("(all) => all.forEach((fold) => fold.click())")
    check(armed)
    for name in NAMES:
        column.get_by_text(name, exact=True).first.click()
        expect(armed.get_by_role("region", name="Threads").get_by_role("heading")).to_have_text(
            shown(name)
        )
        check(armed)


def test_the_clean_up_lists_names(armed: Page, fleet: Fleet) -> None:
    for number, text in enumerate(ALL):
        register(fleet, f"unused-{number}", text)
    armed.get_by_role("button", name="Clean up", exact=True).click()
    window = armed.get_by_role("dialog")
    window.get_by_role("radio").first.check()
    window.get_by_role("button", name="Preview").click()
    expect(window.get_by_text(fleet.mailboxes["unused-0"])).to_be_visible()
    check(armed)


def test_links_show_names_and_reasons(armed: Page, fleet: Fleet, hostile: list[Any]) -> None:
    for number, text in enumerate(ALL):
        pair = [fleet.mailboxes["ann"], fleet.mailboxes[f"hostile-{number}"]]
        fleet.admin("POST", "/admin/links", {"mailboxes": pair, "note": cut(text, 1000)})
    armed.goto(f"/ui/?tab=links&mailbox={fleet.mailboxes['ann']}")
    armed.locator("#panel-links").get_by_text("DROP TABLE").first.wait_for()
    check(armed)


def test_keys_and_account_show_names(armed: Page, fleet: Fleet) -> None:
    for text in ALL:
        key = {"name": cut(text, 120), "agent_name": cut(text, 120), "lifetime_days": 30}
        fleet.admin("POST", "/admin/keys", {**key, "agent_description": cut(text, 1000)})
    for browser in (MARKUP[0], MARKUP[2], NAMES[0], "'; DROP TABLE session; --"):
        account = {"username": USERNAME, "password": PASSWORD}
        fleet.ask("POST", "/ui/login", {"User-Agent": browser}, account)
        fleet.client.cookies.clear()
    armed.goto("/ui/?tab=keys")
    armed.locator("#panel-keys").get_by_text("DROP TABLE").first.wait_for()
    check(armed)
    armed.goto("/ui/?tab=account")
    armed.locator("#panel-account").get_by_text("DROP TABLE").first.wait_for()
    check(armed)


def test_the_url_is_text_too(armed: Page) -> None:
    for text in (MARKUP[0], MARKUP[2], LINKS[0], NAMES[0], NAMES[1], *NAMES[5:10]):
        query = urlencode({"search": text, "agent": text, "tab": text, "filter": text})
        armed.goto(f"/ui/?{query}")
        expect(armed.get_by_role("searchbox")).to_have_value(text)
        check(armed)
