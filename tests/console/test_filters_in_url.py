"""Filters live in the URL, and no list ever stands under another filter's name."""

import contextlib
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Error, Locator, Page, Route, expect

from support.console_page import ConsolePages, Locale, Scheme, axe
from support.fleet import Fleet

LIST: Final = re.compile(r"/admin/threads\?")


def threads(page: Page) -> Locator:
    return page.get_by_role("region", name="Threads")


def names(page: Page) -> Locator:
    return threads(page).locator(".thread-name")


def chip(page: Page, name: str) -> Locator:
    return threads(page).get_by_role("button", name=name, exact=True)


def asks_for(route: Route, **wanted: str) -> bool:
    """Whether a request for the list has these parameters."""
    asked = parse_qs(urlsplit(route.request.url).query)
    return all(asked.get(name) == [value] for name, value in wanted.items())


def hold(page: Page, **wanted: str) -> Callable[[], None]:
    """Holds the next answers with these parameters back, until what it gives is called."""
    held: list[Route] = []

    def answer(route: Route) -> None:
        if asks_for(route, **wanted):
            held.append(route)
        else:
            route.continue_()

    page.route(LIST, answer)

    def let_go() -> None:
        page.unroute(LIST, answer)
        for route in held:
            with contextlib.suppress(Error):  # the page does not want it any more
                route.continue_()

    return let_go


def test_every_filter_is_in_the_url_and_a_link_to_it_shows_the_same(
    page: Page, pages: ConsolePages, fleet: Fleet
) -> None:
    page.get_by_role("complementary", name="Agents").get_by_text("Build Bot").click()
    chip(page, "High priority").click()
    page.get_by_role("searchbox", name="Search").fill("task")
    expect(page).to_have_url(re.compile(r"\?agent=Build\+Bot&filter=high&search=task$"))
    expect(names(page)).to_have_text(["Task 4", "Task 3"])
    shared = pages.open(page.url.removeprefix(fleet.url))
    expect(names(shared)).to_have_text(["Task 4", "Task 3"])
    expect(shared.get_by_role("searchbox", name="Search")).to_have_value("task")
    expect(chip(shared, "High priority")).to_have_attribute("aria-pressed", "true")
    expect(threads(shared).get_by_role("heading", name="Build Bot")).to_be_visible()


def test_back_leaves_a_filter_and_typing_is_one_step(page: Page) -> None:
    chip(page, "High priority").click()
    expect(names(page)).to_have_count(2)
    search = page.get_by_role("searchbox", name="Search")
    search.press_sequentially("task 4")
    expect(names(page)).to_have_text(["Task 4"])
    page.go_back()
    expect(page).to_have_url(re.compile(r"/ui/$"))
    expect(search).to_have_value("")
    expect(names(page).nth(5)).to_be_visible()
    page.go_forward()
    expect(names(page)).to_have_text(["Task 4"])


def test_a_late_answer_of_another_filter_is_not_shown(page: Page) -> None:
    let_go = hold(page, priority="high")
    chip(page, "High priority").click()
    expect(threads(page).get_by_role("status", name="Loading")).to_be_visible()
    expect(names(page)).to_have_count(0)
    chip(page, "Unread").click()
    expect(names(page).nth(5)).to_be_visible()
    before = names(page).all_inner_texts()
    let_go()
    with page.expect_response(LIST):
        page.keyboard.press("r")
    expect(names(page)).to_have_text(before)


def test_a_quick_answer_shows_no_sign_of_loading(page: Page) -> None:
    # However slow the machine is, the answer comes before the time is over.
    page.clock.install()
    page.clock.pause_at("2100-01-01")
    expect(names(page).nth(5)).to_be_visible()
    page.evaluate(
        """() => {
          window.empties = 0;
          const rows = document.querySelector(".threads-rows");
          new MutationObserver(() => { window.empties += Number(rows.children.length === 0); })
            .observe(rows, { childList: true });
        }"""
    )
    page.route(LIST, lambda route: route.fulfill(json=ONE_THREAD) if quick(route) else None)
    chip(page, "High priority").click()
    expect(names(page)).to_have_text(["Answered at once"])
    assert page.evaluate("window.empties") == 0


def quick(route: Route) -> bool:
    if asks_for(route, priority="high"):
        return True
    route.continue_()
    return False


PARTY: Final = {"id": "a", "agent_name": "Ann", "display_name": None, "deleted": False}
ONE_THREAD: Final = {
    "threads": [
        {
            "id": "thr_0000000000000001",
            "title": "Answered at once",
            "description": None,
            "named_by": None,
            "participants": [PARTY, {**PARTY, "id": "b", "agent_name": "Bob"}],
            "message_count": 1,
            "unread_count": 0,
            "last_message": None,
            "priority": "normal",
            "last_activity_at": "2026-01-01T00:00:00.000Z",
            "created_at": "2026-01-01T00:00:00.000Z",
        }
    ],
    "total": 1,
    "total_capped": False,
    "next": None,
}


def test_a_filter_that_fails_shows_no_rows_of_the_one_before(
    page: Page, pages: ConsolePages
) -> None:
    pages.guards(page).expect_status(500)
    expect(names(page).first).to_be_visible()

    def fail(route: Route) -> None:
        if asks_for(route, priority="high"):
            route.fulfill(status=500, json={"title": "Failed", "request_id": "r1"})
        else:
            route.continue_()

    page.route(LIST, fail)
    chip(page, "High priority").click()
    expect(threads(page).get_by_role("button", name="Try again")).to_be_visible()
    expect(names(page)).to_have_count(0)
    chip(page, "All").click()
    expect(names(page).nth(5)).to_be_visible()


def test_a_server_that_is_away_leaves_the_rows_there(page: Page, pages: ConsolePages) -> None:
    pages.guards(page).expect_away()
    expect(names(page).nth(5)).to_be_visible()
    count = names(page).count()
    page.route("**/admin/**", lambda route: route.abort())
    page.get_by_role("tab", name="Threads").press("r")
    expect(page.get_by_text("The server does not answer")).to_be_visible()
    expect(names(page)).to_have_count(count)


def test_more_rows_that_do_not_come_are_not_asked_for_without_end(
    pages: ConsolePages, fleet: Fleet
) -> None:
    fleet.register("one", "Busy One")
    fleet.register("two", "Busy Two")
    for number in range(60):
        fleet.send("one", "two", f"Busy {number}", "x")
    page = pages.open("/ui/?agent=Busy+One")
    guards = pages.guards(page)
    guards.expect_status(500)
    failed: list[str] = []

    def fail(route: Route) -> None:
        if "before=" in route.request.url:
            failed.append(route.request.url)
            route.fulfill(status=500, json={"title": "Failed", "request_id": "r1"})
        else:
            route.continue_()

    page.route(LIST, fail)
    expect(names(page)).to_have_count(50)
    scroll = page.locator(".threads-scroll")
    scroll.evaluate("(node) => node.scrollTo(0, node.scrollHeight)")
    expect(threads(page).get_by_role("button", name="Try again")).to_be_attached()
    frames = "() => new Promise((done) => { let n = 0; const next = () => (n += 1) > 60 ? done()"
    page.evaluate(frames + " : requestAnimationFrame(next); next(); })")
    assert len(failed) == 1
    page.unroute(LIST)
    threads(page).get_by_role("button", name="Try again").click()
    scroll.evaluate("(node) => node.scrollTo(0, node.scrollHeight)")
    expect(names(page)).to_have_count(60)


def test_what_one_reads_stays_in_place_when_news_come_above(
    pages: ConsolePages, fleet: Fleet
) -> None:
    fleet.register("three", "Busy Three")
    fleet.register("four", "Busy Four")
    for number in range(40):
        fleet.send("three", "four", f"Item {number}", "x")
    page = pages.open("/ui/?agent=Busy+Three")
    expect(names(page)).to_have_count(40)
    page.locator(".threads-scroll").evaluate("(node) => node.scrollTo(0, 900)")
    row = threads(page).get_by_role("button", name=re.compile("^Item 20 "))
    before = row.bounding_box()
    fleet.send("three", "four", "Brand new", "x")
    page.get_by_role("tab", name="Threads").press("r")
    expect(names(page)).to_have_count(41)
    after = row.bounding_box()
    assert before
    assert after
    assert abs(before["y"] - after["y"]) < 2


def test_the_tab_comes_back_where_one_was(pages: ConsolePages, fleet: Fleet) -> None:
    fleet.register("five", "Busy Five")
    fleet.register("six", "Busy Six")
    for number in range(30):
        fleet.send("five", "six", f"Line {number}", "x")
    page = pages.open("/ui/?agent=Busy+Five")
    expect(names(page)).to_have_count(30)
    scroll = page.locator(".threads-scroll")
    scroll.evaluate("(node) => node.scrollTo(0, 500)")
    page.get_by_role("tab", name="API keys").click()
    page.get_by_role("tab", name="Threads").click()
    expect(names(page).first).to_be_attached()
    assert scroll.evaluate("(node) => node.scrollTop") == 500


def test_nothing_unread_is_said_and_leads_to_all(pages: ConsolePages, fleet: Fleet) -> None:
    fleet.register("calm", "Calm")
    sent = fleet.send("calm", "bob", "A calm word", "x")
    fleet.read("bob", sent["id"])
    page = pages.open("/ui/?agent=Calm&filter=unread")
    expect(threads(page)).to_contain_text("Everything has been read")
    threads(page).get_by_role("button", name="Show all threads").click()
    expect(names(page)).to_have_text(["A calm word"])
    expect(threads(page).get_by_role("heading", name="Calm")).to_be_visible()


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_a_filtered_list(
    pages: ConsolePages, fleet: Fleet, locale: Locale, scheme: Scheme
) -> None:
    path = f"/ui/?mailbox={fleet.mailboxes['unnamed']}"
    for query in ("", "&search=nothing+has+it"):
        page = pages.open(path + query, locale=locale, scheme=scheme)
        page.locator(".thread, .threads-state .state").first.wait_for()
        page.locator("#agents .fold:visible").first.click()
        assert axe(page) == []
