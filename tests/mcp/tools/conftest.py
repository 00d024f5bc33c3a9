"""An application in this process, and two agents on it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.app import RunningApp, running_app
from support.mcp_agent import Agent, agent_at


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RunningApp]:
    async with running_app(tmp_path) as app:
        yield app


@pytest.fixture
async def planner(app: RunningApp, tmp_path: Path) -> AsyncIterator[Agent]:
    async with agent_at(app, tmp_path / "planner", agent="Planner") as agent:
        yield agent


@pytest.fixture
async def coder(app: RunningApp, tmp_path: Path) -> AsyncIterator[Agent]:
    async with agent_at(app, tmp_path / "coder", agent="Coder") as agent:
        yield agent
