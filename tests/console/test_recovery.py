"""What the console does once the server is back, or once somebody else has removed a thing."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from support.console_page import ConsolePages
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
def page(browser: Browser, own: tuple[ServerProcess, Fleet]) -> Iterator[Page]:
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
    page: Page, own: tuple[ServerProcess, Fleet], name: str
) -> None:
    server, _ = own
    server.kill()
    _open(page, name)
    panel = page.get_by_role("tabpanel", name=name)
    expect(panel.get_by_text("The server does not answer.")).to_be_visible()
    server.restart()
    expect(_content(page, name)).to_be_visible(timeout=BACK_MS)
    expect(panel.get_by_text("The server does not answer.")).to_have_count(0)
