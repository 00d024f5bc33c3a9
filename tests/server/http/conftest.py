"""The application that the HTTP tests speak to."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.app import RunningApp, running_app


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RunningApp]:
    """A fresh application on an empty database, without a quota."""
    async with running_app(tmp_path) as running:
        yield running
