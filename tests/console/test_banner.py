"""The banner of mail that was announced to a watcher and that nobody has read."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from support.console_page import ConsolePages, Locale, Scheme, axe
from support.fleet import Fleet


def tell_of(page: Page, count: int, thread: str | None) -> None:
    """Has the overview say that so many messages wait: ten minutes are too long for a test."""

    def answer(route: Route) -> None:
        # Without the tag of what the page has, else it is answered 304.
        response = route.fetch(headers={**route.request.headers, "if-none-match": '"none"'})
        document: Any = response.json()
        waiting = {"count": count, "oldest_thread_id": thread}
        document["totals"]["announced_unread"] = waiting
        route.fulfill(json=document)

    page.unroute("**/admin/overview")
    page.route("**/admin/overview", answer)
    with page.expect_response("**/admin/overview"):
        page.keyboard.press("r")


def banner(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text="ten minutes ago")


def test_nothing_waits_and_nothing_is_said(page: Page) -> None:
    expect(page.locator(".thread").first).to_be_visible()
    expect(banner(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Open the oldest")).to_be_hidden()


def test_it_comes_without_taking_the_focus_and_goes_by_itself(page: Page, fleet: Fleet) -> None:
    thread = page.locator(".thread").first
    thread.focus()
    tell_of(page, 1, fleet.threads["Task 1"])
    expect(banner(page)).to_have_text(
        "1 message was announced over ten minutes ago and nobody has read it."
    )
    expect(thread).to_be_focused()
    tell_of(page, 0, None)
    expect(page.get_by_role("button", name="Open the oldest")).to_be_hidden()


def test_its_button_opens_the_oldest_whatever_is_filtered(
    pages: ConsolePages, fleet: Fleet
) -> None:
    page = pages.open("/ui/?agent=Ann&filter=high&search=nothing")
    tell_of(page, 1200, fleet.threads["Task 1"])
    expect(banner(page)).to_contain_text("1,200 messages were announced")
    page.get_by_role("button", name="Open the oldest").click()
    expect(page).to_have_url(re.compile(rf"/ui/\?thread={fleet.threads['Task 1']}$"))
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("")
    expect(page.get_by_role("region", name="Conversation")).to_contain_text("Task 1")


@pytest.mark.parametrize(("locale", "scheme"), [("en-US", "dark"), ("fr-FR", "light")])
def test_axe_finds_nothing_beside_it(
    pages: ConsolePages, fleet: Fleet, locale: Locale, scheme: Scheme
) -> None:
    page = pages.open(locale=locale, scheme=scheme, width=390, height=844)
    tell_of(page, 3, fleet.threads["Task 1"])
    expect(page.locator(".banner")).to_be_visible()
    page.locator(".thread").first.wait_for()
    assert axe(page) == []
