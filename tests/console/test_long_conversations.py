"""The reader on a thread longer than a page: its end, the way up, what changes meanwhile."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from support.console_page import ConsolePages, run
from support.fleet import Fleet


def reader(page: Page) -> Locator:
    return page.get_by_role("region", name="Conversation")


def bands(page: Page) -> Locator:
    """The bands of the messages, in order."""
    return reader(page).locator("h3 button[aria-expanded]")


@pytest.fixture(scope="module")
def sent(fleet: Fleet) -> list[Any]:
    """The messages of a thread of two pages."""
    sent = [fleet.send("ann", "carla", "Long", "Message 0", thread_name="A long thread")]
    return sent + reply(fleet, sent[0], 119)


def reply(fleet: Fleet, first: Any, count: int) -> list[Any]:
    """So many more messages, each an answer to the one before; only the first one is unread."""
    sent = []
    for number in range(1, count + 1):
        is_first = first["from"]["agent_name"] == "Ann"
        sides = ("carla", "ann") if is_first else ("ann", "carla")
        first = fleet.send(*sides, f"Message {number}", f"Message {number}", reply_to=first["id"])
        sent.append(first)
    return sent


@pytest.fixture
def opened(pages: ConsolePages, sent: list[Any]) -> Page:
    """The thread, open at its newest end; it is asked for again on `r` alone."""
    page = pages.open(f"/ui/?thread={sent[0]['thread_id']}")
    page.get_by_role("checkbox", name="Auto-refresh").uncheck()
    bands(page).first.wait_for()
    return page


def message(page: Page, sent: Any) -> Locator:
    return page.locator(f"[data-message={sent['id']}]")


def test_it_opens_at_its_newest_end(opened: Page) -> None:
    expect(reader(opened)).to_contain_text("messages")
    expect(bands(opened)).to_have_count(50)
    expect(bands(opened).last).to_be_in_viewport()


def test_older_ones_come_on_the_way_up_and_nothing_jumps(opened: Page, sent: list[Any]) -> None:
    # One step to it, and where it then stands, before anything can have come.
    before = message(opened, sent[80]).evaluate(
        "(node) => (node.scrollIntoView(), node.getBoundingClientRect().y)"
    )
    expect(message(opened, sent[0])).to_be_attached()
    after = message(opened, sent[80]).evaluate("(node) => node.getBoundingClientRect().y")
    assert abs(before - after) < 2


def test_a_link_to_an_old_message_reaches_it(pages: ConsolePages, sent: list[Any]) -> None:
    page = pages.open(f"/ui/?thread={sent[0]['thread_id']}&message={sent[7]['id']}")
    expect(message(page, sent[7]).locator(".prose")).to_have_text("Message 7")
    expect(message(page, sent[7])).to_be_in_viewport()


def test_what_becomes_of_an_old_message_is_followed(
    pages: ConsolePages, fleet: Fleet, sent: list[Any]
) -> None:
    page = pages.open(f"/ui/?thread={sent[0]['thread_id']}&message={sent[2]['id']}")
    expect(message(page, sent[2]).locator(".trail")).to_have_text("Stored")
    fleet.read("carla", sent[2]["id"])
    page.keyboard.press("r")
    expect(message(page, sent[2]).locator(".trail")).to_have_text("Read")


def test_news_below_are_told_of_and_move_nothing(
    opened: Page, fleet: Fleet, sent: list[Any]
) -> None:
    """More of them than a page holds: there is no gap."""
    seen = message(opened, sent[-30])
    before = seen.evaluate("(node) => (node.scrollIntoView(), node.getBoundingClientRect().y)")
    sent += reply(fleet, sent[-1], 55)
    opened.keyboard.press("r")
    button = reader(opened).get_by_role("button", name="55 new messages")
    expect(button).to_be_visible()
    assert abs(seen.evaluate("(node) => node.getBoundingClientRect().y") - before) < 2
    known = opened.locator("[data-message]").evaluate_all(
        "(all) => all.map((node) => node.dataset.message)"
    )
    assert known == [each["id"] for each in sent[-len(known) :]]
    assert len(known) >= 105
    button.click()
    expect(button).to_be_hidden()
    expect(message(opened, sent[-55])).to_be_in_viewport()
    expect(message(opened, sent[-55]).locator("h3 button")).to_be_focused()


_KNOWN = [{"id": name} for name in "abcdef"]


@pytest.mark.parametrize(
    ("newest", "total", "all_"),
    [
        ("def", 6, "abcdef"),
        ("efg", 7, "abcdefg"),
        ("cef", 5, "abcef"),
        ("xyz", 9, None),
        ("bcf", 3, "bcf"),
    ],
)
def test_a_newest_page_is_put_to_what_is_known(
    page: Page, newest: str, total: int, all_: str | None
) -> None:
    script = "(it, [known, newest, total]) => it.withNewest(known, newest, total)"
    given = [_KNOWN, [{"id": name} for name in newest], total]
    found = run(page, "model/conversation.js", script, given)
    assert found == (None if all_ is None else [{"id": name} for name in all_])
