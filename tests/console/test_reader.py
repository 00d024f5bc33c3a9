"""The reader: a conversation in order, folded messages, what stays open and where one reads."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from support.console_page import ConsolePages, Guards, Locale, Scheme, axe, screenshot
from support.fleet import Fleet

REFRESH_MS = 8000
"""A poll comes every five seconds."""


def conversation(page: Page) -> Locator:
    return page.get_by_role("region", name="Conversation")


def bands(page: Page) -> Locator:
    """The bands of the messages, in order."""
    return conversation(page).locator("h3 button[aria-expanded]")


def open_thread(pages: ConsolePages, thread_id: str, **how: Any) -> Page:
    page = pages.open(f"/ui/?thread={thread_id}", **how)
    page.locator("#reader h3 button").first.wait_for()
    return page


@pytest.fixture
def release(pages: ConsolePages, fleet: Fleet) -> Page:
    """The seeded thread of three messages, open in the reader."""
    return open_thread(pages, fleet.threads["Release 2.0"])


def test_the_messages_stand_in_order_and_folded(release: Page) -> None:
    names = bands(release)
    expect(names).to_have_count(3)
    for band, subject in zip(
        names.all(), ("Release 2.0", "Re: Release 2.0", "Thanks"), strict=True
    ):
        expect(band).to_have_attribute("aria-expanded", "false")
        expect(band).to_contain_text(subject)
    expect(names.nth(0)).to_have_accessible_name(
        re.compile(r"^Ann to Build Bot Read .* Release 2\.0$")
    )
    expect(conversation(release).locator(".prose")).to_have_count(0)


def test_the_head_says_who_talks(release: Page, fleet: Fleet) -> None:
    head = conversation(release).locator("header")
    expect(head.get_by_role("heading", name="Release 2.0")).to_be_visible()
    expect(head).to_contain_text("3 messages")
    expect(head).to_contain_text("named by Ann")
    for name in ("ann-web", "bob"):
        expect(head).to_contain_text(fleet.mailboxes[name])
    expect(head.get_by_role("button", name=re.compile("^Copy the address"))).to_have_count(2)


def test_a_band_opens_its_message_along_its_whole_width(release: Page) -> None:
    band = bands(release).first
    before = band.inner_text()
    box = band.bounding_box()
    assert box
    for at in (4, box["width"] - 60):
        band.click(position={"x": at, "y": box["height"] / 2})
        expect(band).to_have_attribute("aria-expanded", "true")
        assert band.inner_text() == before
        band.click(position={"x": at, "y": box["height"] / 2})
        expect(band).to_have_attribute("aria-expanded", "false")


def test_a_body_is_rendered_markdown(release: Page) -> None:
    bands(release).first.click()
    body = conversation(release).locator(".prose")
    expect(body.get_by_role("heading", name="Release notes")).to_be_visible()
    expect(body.locator("em")).to_have_text("emphasis")
    expect(body.locator("strong")).to_have_text("strength")
    expect(body.locator("del")).to_have_text("a slip")
    expect(body.get_by_role("checkbox", name="Done")).to_be_disabled()
    expect(body.get_by_role("checkbox", name="To do")).not_to_be_checked()
    expect(body.locator("blockquote")).to_have_text("Somebody said so.")
    expect(body.get_by_role("cell", name="ready")).to_be_visible()
    expect(body.locator("pre")).to_contain_text("return 42")
    expect(body.get_by_role("button", name="Copy the code")).to_be_visible()
    expect(body.locator("img")).to_have_count(0)
    picture = body.get_by_role("link", name="a picture")
    expect(picture).to_have_attribute("href", "https://example.org/picture.png")
    expect(picture).to_have_attribute("rel", "noreferrer noopener")
    expect(picture).to_have_attribute("target", "_blank")


def test_a_click_downloads_an_attachment(release: Page) -> None:
    bands(release).nth(1).click()
    link = conversation(release).get_by_role("link", name=re.compile(r"plan\.md.*7 bytes"))
    with release.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "plan.md"
    assert download.value.path().read_bytes() == b"# Plan\n"


def test_nothing_folds_over_two_refreshes(release: Page, fleet: Fleet) -> None:
    thread = fleet.threads["Release 2.0"]
    bands(release).nth(1).click()
    expect(conversation(release).locator(".prose")).to_have_text("Built. The plan is attached.")
    release.evaluate("document.querySelector('.prose').dataset.mine = 'yes'")
    bands(release).nth(2).focus()
    for number in range(2):
        fleet.send("carla", "bob", f"Something else {number}", "News")
        with release.expect_response(lambda answer: thread in answer.url) as poll:
            release.keyboard.press("r")
        assert poll.value.status == 200
    expect(bands(release).nth(1)).to_have_attribute("aria-expanded", "true")
    expect(bands(release).nth(2)).to_be_focused()
    expect(conversation(release).locator(".prose[data-mine]")).to_be_visible()


def test_a_poll_without_news_touches_nothing(release: Page, fleet: Fleet) -> None:
    thread = fleet.threads["Release 2.0"]
    bands(release).first.click()
    conversation(release).locator(".prose h4").wait_for()
    release.evaluate(
        """() => {
          window.changes = 0;
          const watch = new MutationObserver((all) => { window.changes += all.length; });
          watch.observe(document.getElementById("reader"),
            { subtree: true, childList: true, attributes: true, characterData: true });
        }"""
    )
    with release.expect_response(lambda answer: thread in answer.url, timeout=REFRESH_MS) as poll:
        pass
    assert poll.value.status == 304
    fleet.send("carla", "bob", "Elsewhere", "Not of this thread")
    with release.expect_response(lambda answer: thread in answer.url) as poll:
        release.keyboard.press("r")
    assert poll.value.status == 200
    # The head of the next poll comes after all that this one did.
    with release.expect_response(lambda answer: thread in answer.url):
        release.keyboard.press("r")
    assert release.evaluate("window.changes") == 0


def test_the_trail_follows_what_becomes_of_a_message(pages: ConsolePages, fleet: Fleet) -> None:
    sent = fleet.send("ann", "carla", "Trail", "Look", thread_name="Trail")
    page = open_thread(pages, sent["thread_id"])
    expect(bands(page)).to_contain_text("Stored")
    fleet.read("carla", sent["id"])
    page.keyboard.press("r")
    expect(bands(page)).to_contain_text("Read")
    assert "Read: " in (bands(page).locator(".trail").get_attribute("title") or "")


def test_the_url_leads_to_a_message(release: Page, pages: ConsolePages, fleet: Fleet) -> None:
    thread = fleet.threads["Release 2.0"]
    bands(release).nth(2).click()
    expect(release).to_have_url(re.compile(rf"\?thread={thread}&message=msg_\w+$"))
    shared = pages.open(release.url.removeprefix(fleet.url))
    expect(bands(shared).nth(2)).to_have_attribute("aria-expanded", "true")
    expect(conversation(shared).locator(".prose")).to_have_text("On it.")
    bands(release).nth(2).click()
    expect(release).to_have_url(re.compile(rf"\?thread={thread}$"))


def test_all_open_and_fold_at_once(release: Page) -> None:
    conversation(release).get_by_role("button", name="Open all").click()
    expect(conversation(release).locator(".prose")).to_have_count(3)
    conversation(release).get_by_role("button", name="Fold all").click()
    expect(conversation(release).locator(".prose:visible")).to_have_count(0)


def test_the_details_tell_everything(release: Page, fleet: Fleet) -> None:
    release.context.grant_permissions(["clipboard-read", "clipboard-write"])
    conversation(release).get_by_role("button", name="Details").nth(1).click()
    window = release.get_by_role("dialog", name="Details")
    for text in ("Re: Release 2.0", fleet.threads["Release 2.0"], "Normal", "Message", "builds"):
        expect(window.get_by_text(text, exact=True).first).to_be_visible()
    rows = window.get_by_role("table").get_by_role("row")
    expect(rows.nth(1)).to_have_text(re.compile("SenderSentStored"))
    expect(rows.nth(2)).to_have_text(re.compile("RecipientInboxStored"))
    window.get_by_role("button", name="Copy “Address (Sender)”").click()
    assert release.evaluate("navigator.clipboard.readText()") == fleet.mailboxes["bob"]
    assert axe(release) == []
    release.keyboard.press("Escape")
    expect(conversation(release).get_by_role("button", name="Details").nth(1)).to_be_focused()


def test_a_message_that_is_gone_is_said_to_be(
    pages: ConsolePages, fleet: Fleet, page: Page, guards: Guards
) -> None:
    guards.expect_status(404)
    page.goto(f"/ui/?thread={fleet.threads['Release 2.0']}&message=msg_0000000000000000")
    notice = conversation(page).get_by_text("The message of this link is no longer there.")
    expect(notice).to_be_visible()
    expect(bands(page)).to_have_count(3)


@pytest.mark.parametrize("thread", ["thr_0000000000000000", "..", "__proto__", "a/b?c#d"])
def test_a_thread_that_is_gone_is_said_to_be(page: Page, guards: Guards, thread: str) -> None:
    guards.expect_status(404)
    page.goto("/ui/")
    page.evaluate(
        "(id) => history.replaceState(null, '', '?thread=' + encodeURIComponent(id))", thread
    )
    page.reload()
    expect(conversation(page)).to_contain_text("This thread is no longer there")
    conversation(page).get_by_role("button", name="Back to the list").click()
    expect(conversation(page)).to_contain_text("Choose a thread")
    expect(page).to_have_url(re.compile("/ui/$"))


def test_a_body_that_does_not_come_can_be_asked_for_again(
    pages: ConsolePages, release: Page
) -> None:
    pages.guards(release).expect_away()
    release.route("**/admin/messages/*", lambda route: route.abort())
    bands(release).nth(2).click()
    retry = conversation(release).get_by_role("button", name="Try again")
    expect(retry).to_be_visible()
    release.unroute("**/admin/messages/*")
    retry.click()
    expect(conversation(release).locator(".prose")).to_have_text("On it.")


def test_a_long_body_opens_and_the_page_stays_usable(pages: ConsolePages, fleet: Fleet) -> None:
    body = ("## Part\n\nSome *words* and `code`.\n\n- one\n- two\n\n" * 6000)[:256_000]
    sent = fleet.send("ann", "carla", "Long", body, thread_name="Long")
    page = open_thread(pages, sent["thread_id"])
    page.evaluate(
        """() => {
          window.longest = 0;
          new PerformanceObserver((all) => {
            for (const task of all.getEntries()) {
              window.longest = Math.max(window.longest, task.duration);
            }
          }).observe({ type: "longtask" });
        }"""
    )
    bands(page).click()
    # The server has 256 000 characters to parse, on a machine that may be busy.
    first = conversation(page).locator(".prose h5").first
    expect(first).to_be_in_viewport(timeout=20_000)
    expect(conversation(page).locator(".prose > *").last).to_be_attached()
    assert page.evaluate("window.longest") < 1000


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    pages: ConsolePages, fleet: Fleet, locale: Locale, scheme: Scheme
) -> None:
    page = open_thread(pages, fleet.threads["Release 2.0"], locale=locale, scheme=scheme)
    page.locator("#reader .band").first.click()
    page.locator("#reader .prose h4").wait_for()
    screenshot(page, f"reader-{locale}-{scheme}")
    assert axe(page) == []


def test_one_panel_at_a_time_has_a_way_back(pages: ConsolePages, fleet: Fleet) -> None:
    page = open_thread(pages, fleet.threads["Release 2.0"], width=390, height=844)
    expect(page.get_by_role("region", name="Threads")).to_be_hidden()
    conversation(page).get_by_role("button", name="Back to the list").click()
    expect(page.get_by_role("region", name="Threads")).to_be_visible()
    expect(conversation(page)).to_be_hidden()
