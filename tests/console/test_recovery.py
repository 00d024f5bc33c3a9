"""What the console does once the server is back, or once somebody else has removed a thing."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from support.console_page import ConsolePages, run
from support.fleet import Fleet
from support.server_process import ServerProcess

BACK_MS = 9000
"""One poll later, and a little."""


@pytest.fixture(scope="module")
def own(browser: Browser) -> Iterator[tuple[ServerProcess, Fleet]]:
    """A server that may be stopped, with two mailboxes."""
    with ServerProcess(settings={"MESSENGER_RATE_LIMIT_MAX": "0"}) as server:
        fleet = Fleet(server)
        fleet.set_up_account()
        fleet.register("one", "Builder")
        fleet.register("two", "Reviewer")
        fleet.send("one", "two", "A thread", "Hello.")
        yield server, fleet
        fleet.close()


@pytest.fixture
def stoppable(browser: Browser, own: tuple[ServerProcess, Fleet]) -> Iterator[Page]:
    """Signed in; requests may fail."""
    server, fleet = own
    pages = ConsolePages(browser, fleet)
    page = pages.open()
    pages.guards(page).expect_away()
    expect(page.get_by_role("button", name="A thread")).to_be_visible()
    yield page
    if server.process.poll() is not None:
        server.restart()
    pages.close()


def _open(page: Page, name: str) -> None:
    if name == "My account":
        page.get_by_role("button", name="Account menu").click()
        page.get_by_role("menuitem", name=name).click()
    else:
        page.get_by_role("tab", name=name).click()


def _content(page: Page, name: str) -> Locator:
    panel = page.get_by_role("tabpanel", name=name)
    if name == "Links":
        return panel.get_by_role("region", name="Timeline")
    if name == "API keys":
        return panel.get_by_role("table")
    return panel.get_by_role("button", name="Save the name")


@pytest.mark.parametrize("name", ["Links", "API keys", "My account"])
def test_a_tab_first_opened_without_the_server_comes_once_it_is_back(
    stoppable: Page, own: tuple[ServerProcess, Fleet], name: str
) -> None:
    page, (server, _) = stoppable, own
    server.kill()
    _open(page, name)
    panel = page.get_by_role("tabpanel", name=name)
    expect(panel.get_by_text("The server does not answer.")).to_be_visible()
    server.restart()
    expect(_content(page, name)).to_be_visible(timeout=BACK_MS)
    expect(panel.get_by_text("The server does not answer.")).to_have_count(0)


def test_a_thread_removed_elsewhere_is_asked_for_no_more_until_the_person_asks(
    pages: ConsolePages, fleet: Fleet
) -> None:
    fleet.register("leaving", "Leaving")
    fleet.register("staying", "Staying")
    sent = fleet.send("leaving", "staying", "Soon gone", "x")
    thread = sent["thread_id"]
    page = pages.open(f"/ui/?thread={thread}&message=")
    pages.guards(page).expect_status(404)
    conversation = page.get_by_role("region", name="Conversation")
    expect(conversation.get_by_role("heading", name="Soon gone").first).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("leaving", "staying"):
        body = {"ids": [sent["id"]], "permanent": True}
        fleet.ask("POST", "/api/messages/delete", fleet.as_mailbox(name), body)
    expect(conversation.get_by_text("This thread is no longer there")).to_be_visible(
        timeout=BACK_MS
    )

    asked.clear()
    with page.expect_response("**/admin/overview", timeout=BACK_MS):
        pass
    assert not [url for url in asked if "/admin/threads/" in url]
    with page.expect_response(f"**/admin/threads/{thread}*"):
        page.keyboard.press("r")


@pytest.mark.parametrize("name", ["message", "thread", "mailbox", "chosen"])
def test_an_empty_part_of_the_url_counts_as_absent(
    pages: ConsolePages, fleet: Fleet, name: str
) -> None:
    page = pages.open(f"/ui/?{name}=")
    assert (
        run(page, "model/route.js", "(it, query) => it.readRoute(query)", f"?{name}=")[name] is None
    )
