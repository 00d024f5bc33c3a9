"""The tab of links: the timeline, linking by drag and by the panel, and what becomes of a link."""

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, Route, expect

from support.console_page import ConsolePages, Guards, axe, screenshot
from support.fleet import Fleet

LINKS = "/ui/?tab=links"


@pytest.fixture(scope="module", autouse=True)
def aged(fleet: Fleet) -> None:
    """Mailboxes of several ages: minutes by name."""
    ages = dict.fromkeys(fleet.mailboxes, 60.0 * 24)
    fleet.mailboxes["absent"] = "night-watch"
    ages["absent"] = 20
    for number, age in enumerate((1, 1.5, 9, 50, 130, 140, 150, 160)):
        fleet.register(f"bob{number}", "Build Bot", display_name=f"build {number}")
        ages[f"bob{number}"] = age
    for number, age in enumerate((3, 12)):
        fleet.register(f"rev{number}", "Reviewer", display_name=f"review {number}")
        ages[f"rev{number}"] = age
    now_ms = time.time() * 1000
    with closing(sqlite3.connect(fleet.server.db_path)) as base, base:
        base.executemany(
            "UPDATE mailbox SET created_at = ? WHERE address = ?",
            [(int(now_ms - age * 60_000), fleet.mailboxes[name]) for name, age in ages.items()],
        )


@pytest.fixture(autouse=True)
def parted(fleet: Fleet) -> Iterator[None]:
    """No links are left behind."""
    yield
    for link in _links(fleet):
        fleet.admin("DELETE", f"/admin/links/{link['id']}")


@pytest.fixture
def page(pages: ConsolePages) -> Page:
    """The tab of links."""
    return pages.open(LINKS)


def _links(fleet: Fleet) -> list[Any]:
    links: list[Any] = fleet.admin("GET", "/admin/links")["links"]
    return links


def _link(fleet: Fleet, one: str, other: str, note: str | None = None) -> str:
    ends = [fleet.mailboxes[one], fleet.mailboxes[other]]
    link = fleet.admin("POST", "/admin/links", {"mailboxes": ends, "note": note})
    return str(link["id"])


def _item(page: Page, fleet: Fleet, name: str) -> Locator:
    return page.locator(f'[data-mailbox="{fleet.mailboxes[name]}"]')


def _choose(page: Page, name: str) -> Locator:
    page.get_by_role("button", name=re.compile(f"^{name}, #")).click()
    panel = page.get_by_role("complementary", name="Chosen mailbox")
    expect(panel.get_by_role("heading", level=2)).to_have_text(name)
    return panel


def _refresh(page: Page) -> None:
    with page.expect_response("**/admin/links"):
        page.keyboard.press("r")


def _box(locator: Locator) -> FloatRect:
    box = locator.bounding_box()
    assert box
    return box


def _middle(locator: Locator) -> tuple[float, float]:
    box = _box(locator)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _drag(page: Page, source: Locator, target: Locator) -> None:
    """Takes a mailbox by its handle and holds it over another place."""
    source.hover()
    page.mouse.move(*_middle(source.locator(".handle")))
    page.mouse.down()
    page.mouse.move(*_middle(target), steps=4)


def test_one_column_for_each_agent_the_newest_first(page: Page, fleet: Fleet) -> None:
    columns = page.get_by_role("list", name="Agents").get_by_role("heading", level=2)
    expect(columns).to_have_text(["Build Bot", "Reviewer", "night-watch", *[re.compile(".")] * 5])
    newest = page.get_by_role("list", name="Recent mailboxes of Build Bot")
    expect(newest.get_by_role("button", name=re.compile("^build"))).to_have_count(3)
    mark = _item(page, fleet, "bob0")
    expect(mark).to_contain_text(re.compile(r"#1build 0.*\d+:\d\d:\d\d.*1 min\. ago"))
    expect(page.get_by_text("latest: 1 min. ago")).to_be_visible()
    expect(_item(page, fleet, "absent")).to_contain_text("never connected")
    screenshot(page, "links")


def test_height_is_the_time_and_marks_never_overlap(page: Page, fleet: Fleet) -> None:
    top = {
        name: _box(_item(page, fleet, name))["y"]
        for name in ("bob0", "bob1", "bob2", "rev0", "rev1", "absent")
    }
    per_minute = (top["absent"] - top["rev0"]) / 17
    assert top["rev1"] - top["rev0"] == pytest.approx(per_minute * 9, abs=2)
    assert top["rev0"] - top["bob0"] == pytest.approx(per_minute * 2, abs=2)
    # Half a minute is less than a mark is high.
    height = _box(_item(page, fleet, "bob0"))["height"]
    assert height <= top["bob1"] - top["bob0"] < height + 10


def test_the_stack_of_older_mailboxes_unfolds_and_folds(page: Page, fleet: Fleet) -> None:
    older = page.get_by_role("list", name="Older mailboxes of Build Bot").get_by_role("listitem")
    expect(older).to_have_count(3)
    expect(older.first).to_contain_text("build 3")
    column = page.locator(".column", has_text="Build Bot")
    column.get_by_role("button", name="+ 3 more").click()
    expect(older).to_have_count(6)
    column.get_by_role("button", name="Show fewer").click()
    expect(older).to_have_count(3)


def test_the_window_is_chosen_and_remembered(page: Page, fleet: Fleet) -> None:
    recent = page.get_by_role("list", name="Recent mailboxes of Build Bot").get_by_role("listitem")
    expect(recent).to_have_count(3)
    page.get_by_label("Detail over").select_option("5 minutes")
    expect(recent).to_have_count(2)
    page.get_by_label("Detail over").select_option("1 hour")
    expect(recent).to_have_count(4)
    page.reload()
    expect(page.get_by_label("Detail over")).to_have_value("60")
    expect(recent).to_have_count(4)


def test_a_drag_links_two_mailboxes(page: Page, fleet: Fleet) -> None:
    target = _item(page, fleet, "rev1")
    _drag(page, _item(page, fleet, "bob1"), target)
    expect(target).to_have_class(re.compile("is-target"))
    expect(page.get_by_text("Link Build Bot (build 1) with Reviewer (review 1)")).to_be_visible()
    screenshot(page, "links-drag")
    page.mouse.up()
    panel = page.get_by_role("complementary", name="Chosen mailbox")
    expect(panel.get_by_role("heading", level=2)).to_have_text("build 1")
    expect(panel.get_by_text("waiting: Build Bot (build 1) and Reviewer")).to_be_visible()
    expect(page.locator(".links-drawing g path")).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="are linked")).to_be_attached()
    (link,) = _links(fleet)
    ends = {end["mailbox"]["id"] for end in link["mailboxes"]}
    assert ends == {fleet.mailboxes["bob1"], fleet.mailboxes["rev1"]}


def test_a_drag_unfolds_a_stack_and_ends_in_it(page: Page, fleet: Fleet) -> None:
    column = page.locator(".column", has_text="Build Bot")
    more = column.get_by_role("button", name="+ 3 more")
    more.scroll_into_view_if_needed()
    _drag(page, _item(page, fleet, "bob3"), more)
    target = _item(page, fleet, "bob6")
    expect(target).to_be_attached()
    target.evaluate("(node) => node.scrollIntoView({ block: 'center' })")
    page.mouse.move(*_middle(target), steps=3)
    expect(target).to_have_class(re.compile("is-target"))
    page.mouse.up()
    expect(target).to_contain_text("1")
    assert len(_links(fleet)) == 1


def test_escape_cancels_a_drag(page: Page, fleet: Fleet) -> None:
    target = _item(page, fleet, "rev1")
    _drag(page, _item(page, fleet, "bob1"), target)
    expect(target).to_have_class(re.compile("is-target"))
    page.keyboard.press("Escape")
    expect(target).not_to_have_class(re.compile("is-target"))
    page.mouse.up()
    expect(page.locator(".drag-layer")).to_have_count(0)
    assert _links(fleet) == []


def test_a_drag_back_onto_itself_is_refused_in_words(page: Page, fleet: Fleet) -> None:
    source = _item(page, fleet, "bob1")
    _drag(page, source, _item(page, fleet, "rev1"))
    page.mouse.move(*_middle(source), steps=2)
    expect(page.get_by_text("A mailbox cannot be linked with itself")).to_be_visible()
    page.mouse.up()
    assert _links(fleet) == []


def test_a_drag_onto_a_linked_mailbox_is_refused_in_words(page: Page, fleet: Fleet) -> None:
    _link(fleet, "bob1", "rev1")
    _refresh(page)
    expect(page.locator(".links-drawing g path")).to_have_count(1)
    target = _item(page, fleet, "rev1")
    _drag(page, _item(page, fleet, "bob1"), target)
    expect(target).to_have_class(re.compile("is-refused"))
    page.mouse.up()
    said = "Build Bot (build 1) and Reviewer (review 1) are linked already"
    expect(page.locator(".notices").get_by_text(said)).to_be_visible()
    assert len(_links(fleet)) == 1


def test_linking_works_by_keyboard_alone_and_takes_a_reason_along(page: Page, fleet: Fleet) -> None:
    page.get_by_role("button", name=re.compile("^build 0, #1")).focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="Chosen mailbox")
    expect(panel).to_be_focused()
    button = panel.get_by_role("button", name="Link with Reviewer (review 0)")
    reason = panel.get_by_label("Reason, told to both agents (optional)")
    for _ in range(12):
        page.keyboard.press("Tab")
        if reason.evaluate("(node) => node === document.activeElement"):
            break
    page.keyboard.type("You both touch the parser.")
    for _ in range(3):
        page.keyboard.press("Tab")
        if button.evaluate("(node) => node === document.activeElement"):
            break
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.get_by_text("waiting: Build Bot (build 0) and Reviewer")).to_be_visible()
    expect(panel.get_by_text("You both touch the parser.")).to_be_visible()
    expect(button).to_have_count(0)
    expect(reason).to_have_value("")
    expect(panel).to_be_focused()
    assert [link["note"] for link in _links(fleet)] == ["You both touch the parser."]
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=re.compile("^build 0, #1"))).to_be_focused()


def test_the_likeliest_candidates_come_first(page: Page, fleet: Fleet) -> None:
    panel = _choose(page, "build 0")
    found = panel.get_by_role("button", name="Link with")
    expect(found.nth(5)).to_be_visible()
    names = [button.get_attribute("aria-label") for button in found.all()]
    assert names[:6] == [
        "Link with Reviewer (review 0)",
        "Link with Reviewer (review 1)",
        "Link with night-watch",
        "Link with Build Bot (build 1)",
        "Link with Build Bot (build 2)",
        "Link with Build Bot (build 3)",
    ]
    panel.get_by_label("Filter by name or address").fill(fleet.mailboxes["bob7"])
    expect(panel.get_by_role("button", name="Link with")).to_have_count(1)
    panel.get_by_label("Filter by name or address").fill("nobody of this name")
    expect(panel.get_by_text("No mailbox matches.")).to_be_visible()


def test_a_link_tells_who_has_received_it_and_goes_in_two_clicks(page: Page, fleet: Fleet) -> None:
    _link(fleet, "bob0", "rev0", "Have a look.")
    _refresh(page)
    panel = _choose(page, "build 0")
    expect(
        panel.get_by_text("waiting: Build Bot (build 0) and Reviewer (review 0)")
    ).to_be_visible()
    fleet.ask("GET", "/api/links", fleet.as_mailbox("rev0"))
    _refresh(page)
    expect(panel.get_by_text("received by Reviewer (review 0)")).to_be_visible()
    expect(panel.get_by_text("waiting: Build Bot (build 0)", exact=True)).to_be_visible()
    screenshot(page, "links-panel")
    remove = panel.get_by_role("button", name="Remove")
    expect(remove).to_have_accessible_description("Reviewer (review 0)")
    remove.click()
    assert len(_links(fleet)) == 1
    panel.get_by_role("button", name="Really remove?").click()
    expect(panel.get_by_text("Nothing links this mailbox yet.")).to_be_visible()
    assert _links(fleet) == []


def test_a_link_that_somebody_was_quicker_with_is_refused_in_words(
    page: Page, guards: Guards, fleet: Fleet
) -> None:
    guards.expect_status(409)
    page.get_by_label("Auto-refresh").uncheck()
    panel = _choose(page, "build 0")
    expect(panel.get_by_role("button", name="Link with Reviewer (review 0)")).to_be_visible()
    _link(fleet, "bob0", "rev0")
    panel.get_by_role("button", name="Link with Reviewer (review 0)").click()
    said = "Build Bot (build 0) and Reviewer (review 0) are linked already"
    expect(panel.get_by_role("alert")).to_have_text(said)


def test_the_badge_counts_what_nothing_links_in_every_tab(
    pages: ConsolePages, fleet: Fleet
) -> None:
    _link(fleet, "bob0", "rev0")
    page = pages.open("/ui/")
    tab = page.get_by_role("tab", name="Links")
    expect(tab).to_have_accessible_description("4 recent mailboxes without a link")
    _link(fleet, "bob1", "rev0")
    _refresh(page)
    expect(tab).to_have_accessible_description("3 recent mailboxes without a link")


def test_marks_slide_and_ages_tick_without_building_anything(
    pages: ConsolePages, fleet: Fleet
) -> None:
    page = pages.open("/ui/?tab=keys")
    page.clock.install()
    page.get_by_role("tab", name="Links").click()
    page.get_by_label("Auto-refresh").uncheck()
    mark = _item(page, fleet, "rev1")
    before = _box(mark)["y"]
    mark.evaluate("(node) => { node.isTheSame = true; }")
    page.clock.run_for(180_000)
    expect(mark).to_contain_text(re.compile("1[5-9] min. ago"))
    assert _box(mark)["y"] > before + 20
    assert mark.evaluate("(node) => node.isTheSame")
    # It leaves the window, and joins the stack.
    page.clock.run_for(20 * 60_000)
    older = page.get_by_role("list", name="Older mailboxes of Reviewer")
    expect(older.get_by_role("button", name=re.compile("^review 1"))).to_be_visible()


def test_a_refresh_without_news_touches_nothing(page: Page, fleet: Fleet) -> None:
    _choose(page, "build 0")
    page.evaluate(
        """() => {
          window.touched = [];
          // Time goes on: layers slide, ages are written.
          const isTime = ({ type, target }) => (type === "attributes"
            ? target.matches(".slides")
            : (target.closest ? target : target.parentElement).closest(".age"));
          const observer = new MutationObserver((records) => {
            for (const record of records.filter((each) => !isTime(each))) {
              window.touched.push(`${record.type} of ${record.target.className}`);
            }
          });
          const all = { subtree: true, childList: true, attributes: true, characterData: true };
          observer.observe(document.querySelector(".links"), all);
        }"""
    )
    _refresh(page)
    _refresh(page)
    assert page.evaluate("window.touched") == []


def test_news_leave_the_half_typed_reason_and_the_focus(page: Page, fleet: Fleet) -> None:
    panel = _choose(page, "build 0")
    reason = panel.get_by_label("Reason, told to both agents (optional)")
    reason.fill("Because")
    fleet.send("carla", "bob0", "News", "Something happens.")
    _link(fleet, "bob0", "rev0")
    expect(panel.get_by_text("waiting: Build Bot (build 0)")).to_be_visible(timeout=8000)
    expect(reason).to_have_value("Because")
    expect(reason).to_be_focused()


def test_the_panel_is_made_wider_by_keyboard(page: Page) -> None:
    panel = page.get_by_role("complementary", name="Chosen mailbox")
    line = page.get_by_role("separator", name="Width of the panel")
    before = _box(panel)["width"]
    line.press("ArrowLeft")
    assert _box(panel)["width"] == before + 16
    line.press("Enter")
    assert _box(panel)["width"] == before


def test_the_url_keeps_the_chosen_mailbox(pages: ConsolePages, page: Page, fleet: Fleet) -> None:
    _choose(page, "review 0")
    expect(page).to_have_url(re.compile("chosen=" + fleet.mailboxes["rev0"]))
    other = pages.open(page.url)
    panel = other.get_by_role("complementary", name="Chosen mailbox")
    expect(panel.get_by_role("heading", level=2)).to_have_text("review 0")
    expect(panel.get_by_role("button", name="Copy the address")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("No mailbox is chosen")).to_be_visible()


def test_a_mailbox_that_is_gone_is_said_to_be(pages: ConsolePages) -> None:
    page = pages.open(f"{LINKS}&chosen=box_0123456789abcdef")
    expect(page.get_by_text("This mailbox is gone")).to_be_visible()
    page.get_by_role("button", name="Back to the timeline").click()
    expect(page.get_by_text("No mailbox is chosen")).to_be_visible()


def test_a_narrow_screen_shows_timeline_or_panel(pages: ConsolePages, fleet: Fleet) -> None:
    page = pages.open(LINKS, width=360, height=740, scheme="dark")
    timeline = page.get_by_role("region", name="Timeline")
    panel = page.get_by_role("complementary", name="Chosen mailbox")
    expect(timeline).to_be_visible()
    expect(panel).to_be_hidden()
    screenshot(page, "links-narrow")
    page.get_by_role("button", name=re.compile("^build 0, #1")).click()
    expect(panel).to_be_visible()
    expect(panel).to_be_focused()
    expect(timeline).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    screenshot(page, "links-panel-narrow")
    panel.get_by_role("button", name="Back to the timeline").click()
    expect(timeline).to_be_visible()


def _agent(name: str, model: dict[str, Any]) -> dict[str, Any]:
    common = {**model, "agent_name": name, "created_at": "2026-01-01T10:00:00.000Z"}
    mailboxes = [{**common, "id": f"{name} {number}"} for number in range(25)]
    return {"agent_name": name, "agent_description": None, "mailboxes": mailboxes}


def test_of_a_big_fleet_only_what_may_be_in_sight_is_built(
    pages: ConsolePages, fleet: Fleet
) -> None:
    document = fleet.admin("GET", "/admin/overview")
    (model,) = document["agents"][0]["mailboxes"][:1]
    agents = [_agent(f"Agent {number}", model) for number in range(200)]
    page = pages.open("/ui/?tab=keys")
    page.route(
        "**/admin/overview", lambda route: route.fulfill(json={**document, "agents": agents})
    )
    page.goto(LINKS)
    expect(page.locator(".column")).to_have_count(30)
    expect(page.locator(".column .item")).to_have_count(90)
    page.get_by_role("button", name="+ 170 agents").click()
    expect(page.locator(".column")).to_have_count(60)
    page.locator(".item-body").first.click()
    expect(page.get_by_role("button", name="Link with")).to_have_count(40)
    expect(page.get_by_text("4,959 more: the filter finds them")).to_be_visible()


def test_it_says_when_there_is_no_mailbox(pages: ConsolePages, fleet: Fleet) -> None:
    page = pages.open("/ui/?tab=keys")

    def empty(route: Route) -> None:
        document = fleet.admin("GET", "/admin/overview")
        route.fulfill(json={**document, "agents": []})

    page.route("**/admin/overview", empty)
    page.get_by_role("tab", name="Links").click()
    page.reload()
    expect(page.get_by_text("No mailbox yet")).to_be_visible()
    assert axe(page) == []


def test_it_says_when_loading_failed_and_tries_again(pages: ConsolePages) -> None:
    page = pages.open("/ui/?tab=keys")
    pages.guards(page).expect_status(500)
    page.route("**/admin/overview", lambda route: route.fulfill(status=500, json={}))
    page.goto(LINKS)
    expect(page.get_by_text("This could not be loaded")).to_be_visible()
    page.unroute("**/admin/overview")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("region", name="Timeline")).to_be_visible()


@pytest.mark.parametrize(("locale", "scheme"), [("en-US", "light"), ("fr-FR", "dark")])
def test_axe_finds_nothing(pages: ConsolePages, fleet: Fleet, locale: Any, scheme: Any) -> None:
    _link(fleet, "bob0", "rev0", "Have a look.")
    page = pages.open(LINKS, locale=locale, scheme=scheme)
    _item(page, fleet, "bob0").wait_for()
    assert axe(page) == []
    _item(page, fleet, "bob0").get_by_role("button").first.click()
    expect(page.locator(".link-row").first).to_be_visible()
    assert axe(page) == []
    screenshot(page, f"links-{locale}")


def test_a_link_that_somebody_else_removed_is_removed(
    page: Page, guards: Guards, fleet: Fleet
) -> None:
    guards.expect_status(404)
    link = _link(fleet, "bob1", "rev1")
    panel = _choose(page, "build 1")
    remove = panel.get_by_role("button", name="Remove")
    remove.wait_for()
    page.get_by_label("Auto-refresh").uncheck()
    remove.click()
    fleet.admin("DELETE", f"/admin/links/{link}")
    panel.get_by_role("button", name="Really remove?").click()
    expect(panel.get_by_text("Nothing links this mailbox yet.")).to_be_visible()
    expect(page.locator(".notice")).to_have_count(0)
