"""The clean-up window: previewed, confirmed twice, whole or not at all."""

import re
import sqlite3
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from support.console_page import ConsolePages, Guards, Locale, axe, run, screenshot
from support.fleet import Fleet

DAY_MS = 86_400_000


def test_what_is_ticked_of_a_preview_goes_and_nothing_else(page: Page, fleet: Fleet) -> None:
    goes = fleet.register("goes", "Cleaner", display_name="to go")
    stays = fleet.register("stays", "Cleaner", display_name="to stay")
    window = previewed(page, "Empty")
    expect(row(window, goes)).to_contain_text("0 messages")
    expect(row(window, goes)).to_contain_text("never active")
    window.get_by_role("checkbox", name="All").uncheck()
    row(window, goes).get_by_role("checkbox").check()
    with page.expect_request("**/purge") as sent:
        confirm(window, "Delete 1 mailbox")
    assert sent.value.post_data_json == {"mailboxes": [goes], "empty": True}
    expect(told(window)).to_contain_text("Deleted: 1 mailbox.")
    assert goes not in addresses(fleet)
    assert stays in addresses(fleet)
    window.get_by_role("button", name="Start over").click()
    expect(page.get_by_role("button", name="Preview")).to_be_visible()


def test_a_mailbox_that_came_back_to_life_stops_the_whole_clean_up(
    page: Page, guards: Guards, fleet: Fleet
) -> None:
    asleep = fleet.register("asleep", "Sleeper", display_name="asleep")
    awake = fleet.register("awake", "Sleeper", display_name="woken")
    window = previewed(page, "Empty")
    fleet.send("ann", "awake", "Wake up", "There is work.")
    guards.expect_status(409)
    window.get_by_role("button", name=re.compile("^Delete")).click()
    window.get_by_role("button", name=re.compile("^Click again")).click()
    alert = window.get_by_role("alert").filter(has_text="Nothing was deleted")
    expect(alert).to_contain_text("Sleeper (woken)")
    expect(row(window, awake).get_by_text("No longer matches")).to_be_visible()
    expect(row(window, asleep).get_by_text("No longer matches")).to_be_hidden()
    screenshot(page, "cleanup-refused")
    assert {asleep, awake} <= addresses(fleet)
    window.get_by_role("button", name="Untick").click()
    expect(alert).to_have_count(0)
    expect(row(window, awake).get_by_role("checkbox")).not_to_be_checked()
    confirm(window, re.compile("^Delete"))
    expect(told(window)).to_contain_text("Deleted:")
    assert awake in addresses(fleet)
    assert asleep not in addresses(fleet)


def test_a_mailbox_that_somebody_else_deleted_is_named(
    page: Page, guards: Guards, fleet: Fleet
) -> None:
    gone = fleet.register("gone", "Sleeper", display_name="gone")
    window = previewed(page, "Empty")
    fleet.admin("DELETE", f"/admin/mailboxes/{gone}")
    guards.expect_status(404)
    confirm(window, re.compile("^Delete"))
    expect(row(window, gone).get_by_text("No longer matches")).to_be_visible()
    window.get_by_role("button", name="Read again").click()
    expect(row(window, gone)).to_have_count(0)


def test_a_tick_and_another_criterion_take_a_confirmation_back(page: Page, fleet: Fleet) -> None:
    kept = fleet.register("kept", "Keeper")
    fleet.register("kept too", "Keeper")
    window = previewed(page, "Empty")
    first_step = window.get_by_role("button", name=re.compile("^Delete"))
    second_step = window.get_by_role("button", name=re.compile("^Click again"))
    first_step.click()
    expect(second_step).to_be_visible()
    row(window, kept).get_by_role("checkbox").uncheck()
    expect(second_step).to_have_count(0)
    first_step.click()
    window.get_by_role("radio", name="Created before").check()
    expect(second_step).to_have_count(0)
    expect(first_step).to_have_count(0)
    expect(row(window, kept)).to_have_count(0)
    window.get_by_role("button", name="Preview").click()
    window.get_by_label("Created before").last.fill("2020-01-01")
    expect(window.get_by_text("Nothing to clean up")).to_have_count(0)


def test_a_day_is_needed_and_has_begun(page: Page) -> None:
    window = opened(page)
    day = window.locator("input[type=date]").first
    day.focus()
    expect(window.get_by_role("radio", name="Inactive since")).to_be_checked()
    for text, told in (("", "Choose a day."), ("2999-01-01", "has not begun yet")):
        day.fill(text)
        day.press("Enter")
        expect(window.get_by_role("alert")).to_contain_text(told)
        expect(day).to_have_attribute("aria-invalid", "true")


@pytest.mark.parametrize(
    ("criterion", "parameter"), [("Inactive since", "before"), ("Created before", "created_before")]
)
def test_mailboxes_of_long_ago_are_found_by_a_day(
    page: Page, fleet: Fleet, criterion: str, parameter: str
) -> None:
    fleet.register("peer", "Old hand")
    old = fleet.register("old", "Old hand", display_name="long ago")
    busy = fleet.register("busy", "Old hand", display_name="made long ago, busy today")
    new = fleet.register("new", "Old hand", display_name="new")
    fleet.send("old", "peer", "Hello", "From long ago.")
    fleet.send("busy", "peer", "Hello", "From today.")
    age(fleet, old, created_days=90, active_days=60)
    age(fleet, busy, created_days=90, active_days=0)
    window = opened(page)
    window.get_by_role("radio", name=criterion).check()
    begins = run(page, "model/cleanup.js", "(it) => it.startOfDay(it.dayBack(30)).at")
    with page.expect_request(re.compile(parameter + "=")) as asked:
        window.get_by_role("button", name="Preview").click()
    assert begins.replace(":", "%3A") in asked.value.url
    expect(row(window, old)).to_contain_text("1 message")
    expect(row(window, new)).to_have_count(0)
    expect(row(window, busy)).to_have_count(1 if criterion == "Created before" else 0)
    with page.expect_request("**/purge") as sent:
        confirm(window, re.compile("^Delete"))
    body: Any = sent.value.post_data_json
    assert body[parameter] == begins
    assert old in body["mailboxes"]
    expect(told(window)).to_contain_text("Deleted:")
    assert old not in addresses(fleet)


def test_a_filter_on_what_was_deleted_ends(pages: ConsolePages, fleet: Fleet) -> None:
    only = fleet.register("only", "Passing through")
    page = pages.open("/ui/?agent=Passing+through")
    window = opened(page, only)
    confirm(window, "Delete this mailbox")
    expect(told(window)).to_contain_text("Passing through")
    expect(page).to_have_url(re.compile(r"/ui/$"))
    window.get_by_role("button", name="Close").last.click()
    expect(page.locator("dialog")).to_have_count(0)


def test_one_mailbox_shows_what_it_holds_and_goes_after_two_clicks(
    page: Page, fleet: Fleet
) -> None:
    fleet.register("giver", "Giver")
    taken = fleet.register("taken", "Taker", display_name="one alone")
    fleet.send("giver", "taken", "First", "One.")
    fleet.send("giver", "taken", "Second", "Two.")
    window = opened(page, taken)
    expect(window).to_contain_text("one alone")
    expect(window).to_contain_text(taken)
    expect(fact(window, "Received")).to_have_text("2")
    expect(fact(window, "Sent")).to_have_text("0")
    expect(window).to_contain_text("the other side of each conversation keeps its own")
    with page.expect_request(lambda request: request.method == "DELETE") as sent:
        confirm(window, "Delete this mailbox")
    assert "last_activity_at=20" in sent.value.url
    expect(told(window)).to_contain_text("“one alone” is deleted, with its copies of 2 messages")
    assert taken not in addresses(fleet)
    # The other side keeps its copies.
    kept = fleet.ask("GET", "/api/messages?folder=sent", fleet.as_mailbox("giver"))
    assert len(kept["messages"]) == 2


def test_mail_that_came_meanwhile_keeps_a_mailbox(page: Page, guards: Guards, fleet: Fleet) -> None:
    spare = fleet.register("spare", "Spare", display_name="thought empty")
    window = opened(page, spare)
    expect(fact(window, "Received")).to_have_text("0")
    fleet.send("ann", "spare", "Not so fast", "You are needed.")
    guards.expect_status(409)
    confirm(window, "Delete this mailbox")
    expect(window.get_by_role("alert")).to_contain_text("mail has passed through")
    expect(fact(window, "Received")).to_have_text("1")
    assert spare in addresses(fleet)
    confirm(window, "Delete this mailbox")
    expect(told(window)).to_contain_text("is deleted")
    assert spare not in addresses(fleet)


def test_a_mailbox_that_is_gone_already_is_said_to_be(
    page: Page, guards: Guards, fleet: Fleet
) -> None:
    twice = fleet.register("twice", "Twice")
    window = opened(page, twice)
    fleet.admin("DELETE", f"/admin/mailboxes/{twice}")
    guards.expect_status(404)
    confirm(window, "Delete this mailbox")
    expect(told(window)).to_contain_text("already gone")


def test_everything_goes_by_keyboard(page: Page, fleet: Fleet) -> None:
    fleet.register("keyed", "Typist")
    page.get_by_role("button", name="Clean up", exact=True).focus()
    page.keyboard.press("Enter")
    window = page.get_by_role("dialog")
    expect(window.get_by_role("radio", name="Empty")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(window.get_by_role("radio", name="Inactive since")).to_be_checked()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    delete = window.get_by_role("button", name=re.compile("^Delete"))
    delete.focus()
    page.keyboard.press("Enter")
    expect(window.get_by_role("button", name=re.compile("^Click again"))).to_be_focused()
    page.keyboard.press("Escape")
    expect(delete).to_be_focused()
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)
    expect(page.get_by_role("button", name="Clean up", exact=True)).to_be_focused()


def test_five_thousand_mailboxes_are_shown_and_ticked_at_once(page: Page) -> None:
    found = {"mailboxes": [made_up(number) for number in range(5000)]}
    page.route("**/admin/mailboxes/empty", lambda route: route.fulfill(json=found))
    window = opened(page)
    window.locator(".primary").click()
    expect(window.locator(".cleanup-row")).to_have_count(5000, timeout=20_000)
    # By class: names of ten thousand nodes take the test longer than the page.
    delete = window.locator(".danger")
    expect(delete).to_have_text("Delete 5,000 mailboxes", timeout=20_000)
    spent_ms = window.locator(".cleanup-head input").evaluate(
        "(it) => { const begun = performance.now(); it.click(); return performance.now() - begun }"
    )
    expect(delete).to_have_text("Delete 0 mailboxes", timeout=20_000)
    expect(delete).to_be_disabled()
    assert spent_ms < 1000


def test_a_preview_that_fails_can_be_tried_again(page: Page, guards: Guards) -> None:
    def fail(route: Route) -> None:
        route.fulfill(status=500, json={"code": "internal_error", "request_id": "abc"})

    guards.expect_status(500)
    page.route("**/admin/mailboxes/empty", fail)
    window = opened(page)
    window.get_by_role("button", name="Preview").click()
    expect(window).to_contain_text("abc")
    page.unroute("**/admin/mailboxes/empty")
    window.get_by_role("button", name="Try again").click()
    expect(window.get_by_role("checkbox", name="All")).to_be_visible()


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
def test_axe_finds_nothing(pages: ConsolePages, fleet: Fleet, locale: Locale) -> None:
    fleet.register("looked-at", "مراجع", display_name="صندوق")
    page = pages.open("/ui/?tab=keys", locale=locale)
    window = opened(page)
    window.locator("input[type=date]").first.fill("")
    window.locator(".primary").click()
    look(page, f"cleanup-day-{locale}")
    window.get_by_role("radio").first.check()
    window.locator(".primary").click()
    expect(window.get_by_role("listitem").first).to_be_visible()
    look(page, f"cleanup-{locale}")
    page.keyboard.press("Escape")
    opened(page, fleet.mailboxes["bob"])
    look(page, f"cleanup-one-{locale}")


def look(page: Page, name: str) -> None:
    """Axe finds nothing, nor in the dark, where only colours can be otherwise."""
    page.emulate_media(color_scheme="dark")
    screenshot(page, f"{name}-dark")
    assert axe(page, "color-contrast") == []
    page.emulate_media(color_scheme="light")
    screenshot(page, f"{name}-light")
    assert axe(page) == []


def opened(page: Page, address: str | None = None) -> Locator:
    """The window, on one mailbox alone when its address is given."""
    if address is None:
        page.locator(".topbar .icon-bin").click()
    else:
        run(page, "actions/refresh.js", "(it) => it.refresh()")
        run(page, "views/lazy.js", "(it, address) => it.openCleanup(address)", address)
    window = page.get_by_role("dialog")
    expect(window).to_be_visible()
    return window


def previewed(page: Page, criterion: str) -> Locator:
    """The window with the mailboxes that meet a criterion."""
    window = opened(page)
    window.get_by_role("radio", name=criterion).check()
    window.get_by_role("button", name="Preview").click()
    expect(window.get_by_role("checkbox", name="All")).to_be_checked()
    return window


def confirm(window: Locator, name: str | re.Pattern[str]) -> None:
    """Two clicks."""
    window.get_by_role("button", name=name).click()
    window.get_by_role("button", name=re.compile("^Click again")).click()


def told(window: Locator) -> Locator:
    """What was done."""
    return window.locator("p[role=status]")


def row(window: Locator, address: str) -> Locator:
    return window.get_by_role("listitem").filter(has_text=address)


def fact(window: Locator, label: str) -> Locator:
    return window.locator("dl > div").filter(has_text=label).locator("dd")


def addresses(fleet: Fleet) -> set[str]:
    """Of all mailboxes that there are."""
    agents = fleet.admin("GET", "/admin/overview")["agents"]
    return {mailbox["id"] for agent in agents for mailbox in agent["mailboxes"]}


def age(fleet: Fleet, address: str, *, created_days: int, active_days: int) -> None:
    """Makes a mailbox older: the server has no other clock than the machine's."""
    with sqlite3.connect(fleet.server.db_path, timeout=5) as base:
        base.execute(
            "UPDATE mailbox SET created_at = created_at - ?, last_activity_at = last_activity_at"
            " - ? WHERE address = ?",
            (created_days * DAY_MS, active_days * DAY_MS, address),
        )
    base.close()


def made_up(number: int) -> dict[str, Any]:
    """A mailbox of a preview."""
    return {
        "id": f"box_{number:016}",
        "agent_name": f"Agent {number % 400}",
        "agent_description": None,
        "display_name": f"Session {number}",
        "description": None,
        "created_at": "2026-01-02T03:04:05Z",
        "last_seen_at": None,
        "last_activity_at": None,
        "linked": False,
        "message_count": 0,
    }
