"""The agents column: filtering, folding, order, and what it says of mailboxes."""

import re
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from support.console_page import ConsolePages, run
from support.fleet import Fleet

NARROW: Final = 1000


def agents(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Agents")


def row(page: Page, name: str) -> Locator:
    return agents(page).locator(".row", has=page.locator(".name").get_by_text(name, exact=True))


def fold(page: Page, name: str) -> Locator:
    return agents(page).get_by_role("button", name=f"Mailboxes of {name}")


def having(name: str) -> re.Pattern[str]:
    """A class attribute that holds this class."""
    return re.compile(rf"\b{name}\b")


def thread_names(page: Page) -> list[str]:
    return page.locator(".thread-name").all_inner_texts()


def test_an_agents_name_filters_on_all_its_mailboxes_and_unfolds_nothing(page: Page) -> None:
    row(page, "Ann").click()
    expect(page.get_by_role("heading", name="Ann")).to_be_visible()
    expect(page.locator(".thread")).to_have_count(4)
    expect(fold(page, "Ann")).to_have_attribute("aria-expanded", "false")
    expect(row(page, "Ann")).to_have_attribute("aria-current", "true")


def test_choosing_again_releases_nothing_and_all_agents_does(page: Page) -> None:
    row(page, "Ann").click()
    row(page, "Ann").click()
    expect(row(page, "Ann")).to_have_attribute("aria-current", "true")
    agents(page).get_by_role("button", name="All agents").click()
    expect(page.locator(".row[aria-current]")).to_have_count(0)
    expect(page.locator(".thread").nth(9)).to_be_visible()


def test_a_mailbox_filters_on_that_one(page: Page) -> None:
    fold(page, "Ann").click()
    row(page, "website").click()
    expect(page.locator(".thread")).to_have_count(2)
    assert set(thread_names(page)) == {"To myself elsewhere", "Release 2.0"}
    expect(page.locator(".threads-head")).to_contain_text("Ann")
    expect(page.locator(".threads-head")).to_contain_text("website")


def test_the_chevron_only_folds_and_unfolds(page: Page) -> None:
    fold(page, "Ann").click()
    expect(row(page, "website")).to_be_visible()
    expect(page.locator(".row[aria-current]")).to_have_count(0)
    fold(page, "Ann").click()
    expect(row(page, "website")).to_be_hidden()


def test_empty_mailboxes_wait_behind_a_button_that_counts_them(page: Page) -> None:
    fold(page, "Ann").click()
    expect(row(page, "spare")).to_have_count(0)
    agents(page).get_by_role("button", name="1 empty mailbox").click()
    expect(row(page, "spare")).to_be_visible()


def test_agents_with_empty_mailboxes_only_are_at_the_foot(fleet: Fleet, page: Page) -> None:
    fleet.register("idle", "Idle Agent")
    more = agents(page).get_by_role("button", name="1 agent without mail")
    expect(more).to_be_visible(timeout=10_000)
    expect(row(page, "Idle Agent")).to_have_count(0)
    more.click()
    expect(row(page, "Idle Agent")).to_be_visible()


def test_a_mailbox_that_never_connected_says_so_and_is_outlined(page: Page) -> None:
    absent = row(page, "night-watch")
    expect(absent).to_contain_text("never connected")
    expect(absent.locator(".avatar")).to_have_class(having("is-outlined"))
    expect(row(page, "Carla").locator(".avatar")).not_to_have_class(having("is-outlined"))


def test_the_bin_of_a_row_is_for_that_mailbox_alone(page: Page) -> None:
    fold(page, "Ann").click()
    row(page, "website").focus()
    page.keyboard.press("Tab")
    bin_button = agents(page).get_by_role("button", name="Delete website")
    expect(bin_button).to_be_focused()
    expect(bin_button).to_have_css("opacity", "1")
    bin_button.click()
    expect(page.get_by_role("dialog")).to_contain_text("website")


def test_collapsed_a_ring_and_a_dot_are_two_signs(page: Page) -> None:
    row(page, "Carla").click()
    agents(page).get_by_role("button", name="Collapse the agents column").click()
    expect(page.locator(".agents")).to_have_class(having("is-collapsed"))
    ring = "(e, which) => getComputedStyle(e.querySelector('.face'), which).content !== 'none'"
    assert row(page, "Carla").evaluate(ring, "::before")
    assert row(page, "Build Bot").evaluate(ring, "::after")
    assert not row(page, "Build Bot").evaluate(ring, "::before")
    page.reload()
    expect(page.locator(".agents")).to_have_class(having("is-collapsed"))
    agents(page).get_by_role("button", name="Open the agents column").click()
    expect(row(page, "Carla").locator(".name")).to_be_in_viewport()


def test_it_collapses_by_itself_where_room_is_short(pages: ConsolePages) -> None:
    page = pages.open(width=NARROW)
    expect(page.locator(".agents")).to_have_class(having("is-collapsed"))
    agents(page).get_by_role("button", name="Open the agents column").click()
    expect(page.locator(".agents")).not_to_have_class(having("is-collapsed"))


def test_on_a_phone_choosing_an_agent_leads_back_to_the_list(pages: ConsolePages) -> None:
    page = pages.open(width=390)
    agents(page).get_by_role("button", name="Open the agents column").click()
    expect(page.get_by_role("region", name="Threads")).to_be_hidden()
    row(page, "Ann").click()
    expect(page.get_by_role("region", name="Threads")).to_be_visible()
    expect(page.locator(".thread")).to_have_count(4)


def test_a_refresh_keeps_the_focus_and_what_is_unfolded(fleet: Fleet, page: Page) -> None:
    fold(page, "Ann").click()
    row(page, "website").focus()
    before = row(page, "website").element_handle()
    fleet.send("carla", "ann-web", "News", "Look.", thread_name="A new thread")
    expect(page.get_by_role("button", name="A new thread")).to_be_visible(timeout=10_000)
    expect(row(page, "website")).to_be_focused()
    assert before.evaluate("node => node.isConnected")


@pytest.mark.parametrize("with_agent", [True, False])
def test_used_before_empty_then_latest_then_by_address(page: Page, with_agent: bool) -> None:
    def mailbox(address: str, activity: str | None, created: str = "2026-01-01") -> object:
        name = address[0] if with_agent else None
        return {
            "agent_name": name,
            "agent_description": None,
            "mailboxes": [
                {
                    "id": address,
                    "agent_name": name,
                    "display_name": None,
                    "last_activity_at": activity,
                    "created_at": created,
                    "last_seen_at": None,
                    "unread": 0,
                    "description": None,
                }
            ],
        }

    overview = {
        "agents": [
            mailbox("empty-old", None),
            mailbox("b", "2026-02-02"),
            mailbox("a", "2026-02-02"),
            mailbox("c", "2026-03-03"),
            mailbox("new-empty", None, "2026-05-05"),
        ]
    }
    found = run(
        page,
        "model/agents.js",
        "(m, o) => { const {used, empty} = m.agentsOf(o);"
        " return [used, empty].map((all) => all.map((a) => a.mailboxes.concat(a.empties)[0].id)) }",
        overview,
    )
    assert found == [["c", "a", "b"], ["new-empty", "empty-old"]]
