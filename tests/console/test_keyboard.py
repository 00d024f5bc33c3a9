"""The keys of the page: moving, opening, going back, searching, and the sheet that tells them."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from support.console_page import ConsolePages, axe
from support.fleet import Fleet


def rows(page: Page) -> Locator:
    """The threads of the list."""
    return page.get_by_role("region", name="Threads").locator("[data-thread]")


def row(page: Page, fleet: Fleet, name: str) -> Locator:
    return page.locator(f"[data-thread={fleet.threads[name]}]")


def bands(page: Page) -> Locator:
    """The messages of the reader."""
    return page.get_by_role("region", name="Conversation").locator("h3 button")


@pytest.fixture
def listed(page: Page) -> Page:
    """The console with its list of threads."""
    rows(page).first.wait_for()
    return page


def test_j_and_k_go_along_the_threads(listed: Page) -> None:
    for key, position in (("j", 0), ("j", 1), ("j", 2), ("k", 1), ("k", 0), ("k", 0)):
        listed.keyboard.press(key)
        expect(rows(listed).nth(position)).to_be_focused()
    expect(listed).to_have_url(re.compile("/ui/$"))


def test_enter_opens_the_thread_and_o_goes_into_it(listed: Page, fleet: Fleet) -> None:
    row(listed, fleet, "Release 2.0").focus()
    listed.keyboard.press("Enter")
    expect(bands(listed)).to_have_count(3)
    expect(row(listed, fleet, "Release 2.0")).to_be_focused()
    listed.keyboard.press("o")
    expect(bands(listed).first).to_be_focused()
    listed.keyboard.press("o")
    expect(bands(listed).first).to_have_attribute("aria-expanded", "true")
    listed.keyboard.press("j")
    expect(bands(listed).nth(1)).to_be_focused()
    listed.keyboard.press("Enter")
    expect(bands(listed).nth(1)).to_have_attribute("aria-expanded", "true")
    listed.keyboard.press("k")
    listed.keyboard.press("o")
    expect(bands(listed).first).to_have_attribute("aria-expanded", "false")


def test_o_opens_a_thread_from_the_list(listed: Page, fleet: Fleet) -> None:
    row(listed, fleet, "Release 2.0").focus()
    listed.keyboard.press("o")
    expect(bands(listed).first).to_be_focused()


@pytest.mark.parametrize("key", ["Escape", "u"])
def test_going_back_leads_to_the_row_and_closes_nothing(
    pages: ConsolePages, fleet: Fleet, key: str
) -> None:
    page = pages.open(f"/ui/?thread={fleet.threads['Release 2.0']}")
    bands(page).first.click()
    row(page, fleet, "Release 2.0").wait_for()
    page.keyboard.press(key)
    expect(row(page, fleet, "Release 2.0")).to_be_focused()
    expect(bands(page).first).to_have_attribute("aria-expanded", "true")
    expect(page).to_have_url(re.compile("thread="))


def test_going_back_shows_the_list_where_one_panel_has_room(
    pages: ConsolePages, fleet: Fleet
) -> None:
    page = pages.open("/ui/", width=390, height=844)
    row(page, fleet, "Release 2.0").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Back to the list")).to_be_focused()
    page.keyboard.press("Escape")
    expect(row(page, fleet, "Release 2.0")).to_be_focused()


def test_a_slash_goes_to_the_search_from_every_tab(listed: Page) -> None:
    for tab in ("threads", "keys"):
        listed.get_by_role("tab", name={"threads": "Threads", "keys": "API keys"}[tab]).click()
        listed.keyboard.press("/")
        expect(listed.get_by_role("searchbox", name="Search")).to_be_focused()
        expect(listed.get_by_role("searchbox", name="Search")).to_have_value("")


def test_tabs_have_keys(listed: Page) -> None:
    for keys, name in (
        (["2"], "Links"),
        (["3"], "API keys"),
        (["1"], "Threads"),
        (["g", "l"], "Links"),
        (["g", "k"], "API keys"),
        (["g", "t"], "Threads"),
    ):
        for key in keys:
            listed.keyboard.press(key)
        expect(listed.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        expect(listed.get_by_role("tab", name=name)).to_be_focused()


def test_escape_empties_the_search_and_then_leads_to_the_list(listed: Page) -> None:
    search = listed.get_by_role("searchbox", name="Search")
    listed.keyboard.press("/")
    listed.keyboard.press("Escape")
    expect(rows(listed).first).to_be_focused()
    listed.keyboard.press("/")
    listed.keyboard.type("Release")
    listed.keyboard.press("Escape")
    expect(search).to_have_value("")
    expect(search).to_be_focused()
    listed.keyboard.press("Escape")
    expect(rows(listed).first).to_be_focused()


def test_r_asks_the_server_now(listed: Page) -> None:
    with listed.expect_response(re.compile("/admin/overview"), timeout=3000):
        listed.keyboard.press("r")


def test_keys_typed_into_a_field_are_text(listed: Page) -> None:
    field = listed.get_by_role("searchbox", name="Search")
    field.press_sequentially("jk?2/or")
    expect(field).to_have_value("jk?2/or")
    expect(field).to_be_focused()
    expect(listed.get_by_role("dialog")).to_have_count(0)


def test_keys_with_a_modifier_are_the_browser_s(listed: Page) -> None:
    for key in ("Control+k", "Alt+2", "Control+j"):
        listed.keyboard.press(key)
    expect(rows(listed).first).not_to_be_focused()
    expect(listed.get_by_role("tab", name="Threads")).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
def test_the_sheet_tells_the_keys(pages: ConsolePages, locale: str) -> None:
    page = pages.open("/ui/", locale="fr-FR" if locale == "fr-FR" else "en-US")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog")
    expect(sheet).to_have_accessible_name(
        {"en-US": "Keyboard shortcuts", "fr-FR": "Raccourcis clavier"}[locale]
    )
    for key in ("j", "k", "Enter", "o", "Esc", "u", "/", "r", "1", "g t", "?"):
        expect(sheet.locator("kbd").get_by_text(key, exact=True)).to_be_visible()
    assert axe(page) == []
    page.keyboard.press("2")
    expect(sheet).to_be_visible()
    expect(page.get_by_role("tab").first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
