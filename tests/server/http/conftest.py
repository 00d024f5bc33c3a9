"""The application that the HTTP tests speak to, and a browser that is signed in to its console."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.app import RunningApp, running_app
from support.browser import Browser, browser_at, set_up_account


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RunningApp]:
    """A fresh application on an empty database, without a quota."""
    async with running_app(tmp_path) as running:
        yield running


@pytest.fixture
async def owner(app: RunningApp) -> AsyncIterator[Browser]:
    """The browser that made the account, signed in."""
    async with browser_at(app) as browser:
        await set_up_account(app, browser)
        yield browser
