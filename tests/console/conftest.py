"""A fleet and a browser for each module of tests, and pages for each test."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from support.console_page import ConsolePages, Guards, chromium
from support.fleet import Fleet, seed
from support.server_process import ServerProcess


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    """A small fleet on a server of the module's own."""
    with ServerProcess(settings={"MESSENGER_RATE_LIMIT_MAX": "0"}) as server:
        fleet = Fleet(server)
        fleet.set_up_account()
        seed(fleet)
        yield fleet
        fleet.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of the module: while one is open no async test may run in this process."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def pages(browser: Browser, fleet: Fleet) -> Iterator[ConsolePages]:
    """Opens pages; whatever must not happen in one fails the test."""
    pages = ConsolePages(browser, fleet)
    yield pages
    pages.close()


@pytest.fixture
def page(pages: ConsolePages) -> Page:
    """The console in English, light, 1280 by 800, signed in."""
    return pages.open()


@pytest.fixture
def guards(pages: ConsolePages, page: Page) -> Guards:
    """The guards of `page`."""
    return pages.guards(page)
