"""axe on each view and each window, in both languages, light and dark; and the keyboard."""

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from support.console_page import ConsolePages, Locale, axe, run
from support.fleet import Fleet

PHONE: Final = 390
DESK: Final = 1280


class Sweep:
    """Looks at one state of a page after the other; `faults` is what axe found in them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []

    def look(self, state: str) -> None:
        """What axe finds now; in the dark only colours can be otherwise."""
        self.page.emulate_media(color_scheme="light")
        self.faults += [f"{state}: {fault}" for fault in axe(self.page)]
        self.page.emulate_media(color_scheme="dark")
        self.faults += [f"{state}, dark: {fault}" for fault in axe(self.page, "color-contrast")]

    def go(self, tab: str) -> None:
        """To a tab, once it has something to show."""
        run(self.page, "actions/navigation.js", "({ navigate }, tab) => navigate({ tab })", tab)
        expect(self.page.locator(f"#panel-{tab}")).to_be_visible()
        expect(self.page.locator(f"#panel-{tab} .skeleton")).to_have_count(0)

    def window(self, state: str, opens: Callable[[], None]) -> None:
        """Opens a window, looks at it, and closes it."""
        opens()
        self.page.get_by_role("dialog").wait_for()
        expect(self.page.locator("dialog .skeleton")).to_have_count(0)
        self.look(state)
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("dialog")).to_have_count(0)


languages = pytest.mark.parametrize("locale", ["en-US", "fr-FR"])


@languages
def test_axe_finds_nothing_before_the_console(pages: ConsolePages, locale: Locale) -> None:
    page = pages.open(locale=locale, signed_in=False)
    sweep = Sweep(page)
    page.locator("form .button").click()
    sweep.look("sign-in")
    nobody = {"authenticated": False, "setup_required": True, "user": None}
    page.route("**/ui/session", lambda route: route.fulfill(json=nobody))
    page.reload()
    password = page.locator("input[type=password]").first
    for typed in ("summer2024!!", "tghwqpzmvxrk", "correct horse battery staple"):
        password.fill(typed)
        sweep.look(f"setup with {typed}")
    page.set_viewport_size({"width": PHONE, "height": 800})
    sweep.look("setup, narrow")
    assert not sweep.faults, "\n".join(sweep.faults)


@languages
def test_axe_finds_nothing_where_one_reads(
    pages: ConsolePages, locale: Locale, fleet: Fleet
) -> None:
    page = pages.open(locale=locale)
    sweep = Sweep(page)
    page.locator("[data-thread]").first.wait_for()
    sweep.look("no thread")
    for fold in page.locator(".fold:visible").all():
        fold.click()
    page.locator(f"[data-thread='{fleet.threads['Release 2.0']}']").click()
    page.locator("#reader .band").first.click()
    page.locator("#reader table").first.wait_for()
    sweep.look("a thread, agents unfolded")
    sweep.window(
        "details", lambda: page.locator("#reader .message-head > .icon-button").first.click()
    )
    sweep.window("keys of the page", lambda: page.keyboard.press("?"))
    page.locator("#account-menu").click()
    sweep.look("account menu")
    page.keyboard.press("Escape")
    page.locator("#search").fill("nothing has this in it")
    expect(page.locator("#threads .state")).to_be_visible()
    sweep.look("nothing found")
    page.set_viewport_size({"width": PHONE, "height": 800})
    sweep.look("a thread, narrow")
    page.locator(".reader-back").click()
    sweep.look("the list, narrow")
    assert not sweep.faults, "\n".join(sweep.faults)


@languages
def test_axe_finds_nothing_in_the_other_tabs(pages: ConsolePages, locale: Locale) -> None:
    page = pages.open(locale=locale)
    sweep = Sweep(page)
    for tab in ("links", "keys", "account"):
        sweep.go(tab)
        sweep.look(tab)
        page.set_viewport_size({"width": PHONE, "height": 800})
        sweep.look(f"{tab}, narrow")
        page.set_viewport_size({"width": DESK, "height": 800})
    sweep.go("links")
    page.locator(".item-body").first.click()
    page.locator(".link-row, .panel-content").first.wait_for()
    sweep.look("links with a mailbox chosen")
    sweep.go("keys")
    sweep.window("new key", lambda: page.locator("#panel-keys .button.primary").click())
    sweep.window("a key", lambda: page.locator("#panel-keys tbody button").first.click())
    run(page, "actions/notices.js", "({ notify }) => { notify('error', 'x'); notify('done', 'y') }")
    sweep.look("notices")
    assert not sweep.faults, "\n".join(sweep.faults)


@languages
def test_axe_finds_nothing_in_the_clean_up(pages: ConsolePages, locale: Locale) -> None:
    page = pages.open(locale=locale)
    sweep = Sweep(page)
    clean = page.locator(".topbar").get_by_title("Clean up" if locale == "en-US" else "Nettoyer")
    clean.click()
    sweep.look("criteria")
    page.locator("dialog .button.primary").click()
    page.locator("dialog input[type=checkbox]").first.wait_for()
    sweep.look("preview")
    page.locator("dialog .button.danger").click()
    sweep.look("asking")
    page.locator("dialog").get_by_role(
        "button", name="Close" if locale == "en-US" else "Fermer"
    ).click()
    page.locator(".agent-line").first.hover()
    sweep.window("one mailbox", lambda: page.locator(".bin:visible").first.click())
    assert not sweep.faults, "\n".join(sweep.faults)


@languages
def test_axe_finds_nothing_where_something_failed(pages: ConsolePages, locale: Locale) -> None:
    page = pages.open("/ui/?tab=links", locale=locale)
    pages.guards(page).expect_away()
    sweep = Sweep(page)
    page.route("**/admin/**", lambda route: route.abort())
    for tab in ("threads", "keys", "account"):
        run(page, "actions/navigation.js", "({ navigate }, tab) => navigate({ tab })", tab)
        page.locator(f"#panel-{tab} .state .button").first.wait_for()
        sweep.look(f"{tab}, failed")
    assert not sweep.faults, "\n".join(sweep.faults)


def test_everything_in_sight_can_be_reached_by_tab(pages: ConsolePages, fleet: Fleet) -> None:
    page = pages.open(f"/ui/?thread={fleet.threads['Release 2.0']}")
    page.locator("#reader .band").first.wait_for()
    for tab in ("threads", "links", "keys", "account"):
        Sweep(page).go(tab)
        missed = page.evaluate(_UNREACHABLE)
        assert missed == [], tab


_UNREACHABLE: Final = """() => {
  const acts = "[onclick], [draggable=true], summary, a[href], button, input, select, textarea";
  const isReached = (node) => node.tabIndex >= 0 || node.closest("[role=tablist], [role=menu]");
  return [...document.querySelectorAll(acts)]
    .filter((node) => node.checkVisibility() && !node.disabled && !isReached(node))
    .map((node) => node.outerHTML.slice(0, 120));
}"""


def test_the_focus_is_always_seen(pages: ConsolePages, fleet: Fleet) -> None:
    page = pages.open(f"/ui/?thread={fleet.threads['Release 2.0']}")
    page.locator("#reader .band").first.wait_for()
    unseen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        fault = page.evaluate(_FOCUS_FAULT)
        if fault:
            unseen.append(fault)
    assert unseen == []


_FOCUS_FAULT: Final = """() => {
  const node = document.activeElement;
  if (node === document.body) return null;
  const style = getComputedStyle(node);
  const box = node.getBoundingClientRect();
  const isOutlined = style.outlineStyle !== "none" || node.matches(".splitter");
  const isInSight = box.bottom > 0 && box.top < innerHeight
    && box.right > 0 && box.left < innerWidth;
  return isOutlined && isInSight ? null : node.outerHTML.slice(0, 160);
}"""
