"""The list of threads: rows, chips, search, scroll, refresh, and the URL that says it all."""

import re

from playwright.sync_api import Locator, Page, Route, expect

from support.console_page import ConsolePages
from support.fleet import LONG_NAME, RTL_NAME, Fleet


def threads(page: Page) -> Locator:
    return page.get_by_role("region", name="Threads")


def row(page: Page, name: str) -> Locator:
    return threads(page).get_by_role("button", name=re.compile("^" + re.escape(name)))


def chip(page: Page, name: str) -> Locator:
    return threads(page).get_by_role("button", name=name, exact=True)


def test_a_rows_name_begins_with_the_threads(page: Page) -> None:
    for name in ("Release 2.0", "Task 4", RTL_NAME, LONG_NAME[:40]):
        expect(row(page, name)).to_have_count(1)
    expect(threads(page).get_by_role("list").get_by_role("listitem")).to_have_count(10)
    expect(row(page, "Task 4")).to_contain_text("Urgent")
    expect(row(page, "Task 4")).to_contain_text("Carla: Please look.")
    expect(row(page, "Task 2").locator(".chip")).to_be_hidden()


def test_both_correspondents_have_an_avatar_that_tells_more(page: Page) -> None:
    faces = row(page, "Release 2.0").locator(".thread-face")
    expect(faces).to_have_count(2)
    titles = [face.get_attribute("title") or "" for face in faces.all()]
    assert any("website" in title and "Ann" in title for title in titles)
    assert sum("Wrote last" in title for title in titles) == 1


def test_the_chips_filter_one_at_a_time(page: Page) -> None:
    chip(page, "High priority").click()
    expect(threads(page).locator(".thread")).to_have_count(2)
    chip(page, "Unread").click()
    expect(chip(page, "High priority")).to_have_attribute("aria-pressed", "false")
    expect(chip(page, "Unread")).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile(r"filter=unread"))
    chip(page, "All").click()
    expect(page).to_have_url(re.compile(r"/ui/$"))


def test_one_search_box_finds_names_and_texts(page: Page) -> None:
    search = page.get_by_role("searchbox", name="Search")
    search.fill("emphasis")
    expect(threads(page).locator(".thread")).to_have_count(1)
    expect(row(page, "Release 2.0")).to_be_visible()
    search.fill("nothing has this word")
    expect(threads(page)).to_contain_text("No thread matches")
    threads(page).get_by_role("button", name="Clear the filters").click()
    expect(threads(page).locator(".thread").nth(5)).to_be_visible()
    expect(search).to_have_value("")


def test_a_link_opens_what_it_says_and_back_goes_back(pages: ConsolePages, fleet: Fleet) -> None:
    thread = fleet.threads["Task 1"]
    page = pages.open(f"/ui/?agent=Build+Bot&filter=unread&thread={thread}")
    expect(page.get_by_role("region", name="Conversation")).to_contain_text("Task 1")
    expect(row(page, "Task 1")).to_have_attribute("aria-current", "true")
    expect(chip(page, "Unread")).to_have_attribute("aria-pressed", "true")
    row(page, "Task 2").click()
    expect(page.get_by_role("region", name="Conversation")).to_contain_text("Task 2")
    page.go_back()
    expect(row(page, "Task 1")).to_have_attribute("aria-current", "true")


def test_long_lists_come_on_scroll_and_one_changed_thread_touches_its_row_alone(
    pages: ConsolePages, fleet: Fleet
) -> None:
    fleet.register("many", "Many")
    fleet.register("other", "Other")
    sent = [
        fleet.send("many", "other", f"Number {n:03}", "x", thread_name=f"Number {n:03}")
        for n in range(120)
    ]
    page = pages.open("/ui/?agent=Many")
    expect(threads(page).locator(".thread")).to_have_count(50)
    scroll = page.locator(".threads-scroll")
    scroll.evaluate("node => node.scrollTo(0, node.scrollHeight)")
    expect(threads(page).locator(".thread")).to_have_count(120, timeout=10_000)
    expect(threads(page)).to_contain_text("120 threads")

    scroll.evaluate("node => node.scrollTo(0, 900)")
    page.evaluate(
        """() => {
          window.touched = new Set();
          window.observer = new MutationObserver((records) => {
            for (const record of records) {
              const nodes = [record.target, ...record.addedNodes, ...record.removedNodes];
              for (const node of nodes) {
                const element = node.nodeType === 1 ? node : node.parentElement;
                const row = element?.closest(".thread-item");
                if (row) window.touched.add(row.querySelector(".thread-name").textContent);
              }
            }
          });
          const list = document.querySelector(".threads-rows");
          window.observer.observe(list, {subtree: true, childList: true, attributes: true,
            characterData: true});
        }"""
    )
    fleet.send("other", "many", "Re", "An answer", reply_to=sent[40]["id"])
    expect(threads(page).locator(".thread").first).to_contain_text("Number 040", timeout=10_000)
    expect(threads(page).locator(".thread")).to_have_count(120)
    assert page.evaluate("() => [...window.touched]") == ["Number 040"]


def test_a_thread_that_goes_leaves_the_list(pages: ConsolePages, fleet: Fleet) -> None:
    gone = fleet.register("leaving", "Leaving")
    fleet.register("staying", "Leaving", display_name="staying")
    sent = fleet.send("leaving", "staying", "Soon gone", "x", thread_name="Soon gone")
    page = pages.open("/ui/?agent=Leaving")
    expect(row(page, "Soon gone")).to_be_visible()
    body = {"ids": [sent["id"]], "permanent": True}
    for name in ("leaving", "staying"):
        fleet.ask("POST", "/api/messages/delete", fleet.as_mailbox(name), body)
    expect(row(page, "Soon gone")).to_have_count(0, timeout=10_000)
    assert gone


def test_what_fails_is_said_and_can_be_tried_again(pages: ConsolePages) -> None:
    page = pages.open("/ui/?tab=keys&agent=Carla")
    guards = pages.guards(page)
    guards.expect_status(500)
    page.route("**/admin/threads?*", lambda route: route.fulfill(status=500, body="{}"))
    page.get_by_role("tab", name="Threads").click()
    expect(threads(page)).to_contain_text("This could not be loaded")
    page.unroute("**/admin/threads?*")
    threads(page).get_by_role("button", name="Try again").click()
    expect(row(page, "Task 1")).to_be_visible()


def test_mail_that_nobody_reads_is_pointed_out(page: Page, fleet: Fleet) -> None:
    thread = fleet.threads["Task 1"]

    def answer(route: Route) -> None:
        response = route.fetch()
        if response.status == 304:
            route.fulfill(response=response)
            return
        document = response.json()
        document["totals"]["announced_unread"] = {"count": 2, "oldest_thread_id": thread}
        route.fulfill(response=response, json=document)

    page.route("**/admin/overview", answer)
    page.reload()
    banner = page.locator(".banner")
    expect(banner).to_contain_text("2 messages were announced over ten minutes ago")
    banner.get_by_role("button", name="Open the oldest").click()
    expect(page.get_by_role("region", name="Conversation")).to_contain_text("Task 1")
