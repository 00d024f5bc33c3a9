"""An application in this process, and a project whose sessions start and end."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.app import RunningApp, running_app
from support.project import Project


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RunningApp]:
    async with running_app(tmp_path) as app:
        yield app


@pytest.fixture
async def project(app: RunningApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(app, tmp_path / "home", await app.create_key("project"), monkeypatch)
