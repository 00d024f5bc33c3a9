"""Renaming a mailbox: the name turns into a field."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from support.console_page import ConsolePages, Guards, axe
from support.fleet import Fleet

LINKS = "/ui/?tab=links"


@pytest.fixture
def address(fleet: Fleet) -> str:
    """A mailbox that is new for each test."""
    return fleet.register("renamed", "Build Bot", display_name="first name")


@pytest.fixture
def page(pages: ConsolePages, address: str) -> Page:
    """The tab of links, opened when the mailbox is there."""
    assert address
    return pages.open(LINKS)


@pytest.fixture
def mark(page: Page, address: str) -> Locator:
    """The mailbox in the timeline."""
    return page.locator(f'[data-mailbox="{address}"]')


def _field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Name of the mailbox")


def _name(fleet: Fleet) -> str | None:
    found = fleet.ask("GET", "/api/mailbox", fleet.as_mailbox("renamed"))
    name: str | None = found["mailbox"]["display_name"]
    return name


def test_the_pencil_opens_the_field_and_enter_saves(
    page: Page, mark: Locator, fleet: Fleet
) -> None:
    mark.hover()
    mark.get_by_role("button", name="Rename first name").click()
    expect(_field(page)).to_be_focused()
    expect(_field(page)).to_have_value("first name")
    expect(_field(page)).to_have_accessible_description(re.compile("at its next whoami"))
    assert axe(page) == []
    _field(page).fill("second name")
    _field(page).press("Enter")
    expect(mark).to_contain_text("second name")
    expect(_field(page)).to_have_count(0)
    expect(mark.get_by_role("button", name="Rename second name")).to_be_focused()
    assert _name(fleet) == "second name"


def test_a_double_click_opens_it_and_a_click_elsewhere_saves(
    page: Page, mark: Locator, fleet: Fleet
) -> None:
    mark.get_by_role("button").first.dblclick()
    _field(page).fill("by a click")
    page.get_by_role("complementary", name="Chosen mailbox").click(position={"x": 5, "y": 5})
    expect(mark).to_contain_text("by a click")
    assert _name(fleet) == "by a click"


def test_escape_leaves_the_name(page: Page, mark: Locator, fleet: Fleet) -> None:
    mark.get_by_role("button").first.dblclick()
    _field(page).fill("never")
    _field(page).press("Escape")
    expect(_field(page)).to_have_count(0)
    expect(mark).to_contain_text("first name")
    assert _name(fleet) == "first name"


def test_an_empty_name_clears_it(page: Page, mark: Locator, fleet: Fleet) -> None:
    mark.get_by_role("button").first.click()
    panel = page.get_by_role("complementary", name="Chosen mailbox")
    panel.get_by_role("button", name="Rename first name").click()
    _field(page).fill("  ")
    _field(page).press("Enter")
    address = fleet.mailboxes["renamed"]
    expect(panel.get_by_role("heading", level=2)).to_have_text(address)
    expect(mark).to_contain_text(address)
    assert _name(fleet) is None


def test_a_name_that_is_refused_stays_in_its_field(
    page: Page, guards: Guards, mark: Locator, fleet: Fleet
) -> None:
    guards.expect_status(404)
    mark.get_by_role("button").first.dblclick()
    _field(page).fill("too late")
    page.route(
        "**/admin/mailboxes/*",
        lambda route: route.fulfill(status=404, json={"detail": "There is no such mailbox."}),
    )
    _field(page).press("Enter")
    expect(page.get_by_text("There is no such mailbox.").first).to_be_visible()
    expect(_field(page)).to_have_value("too late")
    expect(_field(page)).to_have_attribute("aria-invalid", "true")
