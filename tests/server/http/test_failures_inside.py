"""A database that fails behind the gate: the caller learns a number, the log learns the cause."""

from typing import Final

import httpx2
import pytest

from messenger_server.database import Batch
from support.app import RunningApp
from support.browser import Browser
from support.problems import assert_problem

_BROKEN: Final = ("delivery", "message", "thread", "folder", "link", "audit")
_DRAFT: Final = {"to": "bob", "subject": "s", "body": "b"}
_AGENTS: Final = [
    ("GET", "/api/mailbox", None),
    ("GET", "/api/messages", None),
    ("GET", "/api/messages/msg_0123456789", None),
    ("POST", "/api/messages", _DRAFT),
    ("POST", "/api/messages/mark", {"ids": ["msg_0123456789"], "read": True}),
    ("GET", "/api/threads", None),
    ("GET", "/api/folders", None),
    ("GET", "/api/links", None),
    ("GET", "/api/attachments/att_0123456789", None),
]
_CONSOLE: Final = [
    ("GET", "/admin/overview", None),
    ("GET", "/admin/messages", None),
    ("GET", "/admin/threads", None),
    ("GET", "/admin/links", None),
    ("GET", "/admin/audit", None),
    ("POST", "/admin/keys", {"name": "new", "agent_name": None, "lifetime_days": None}),
    ("PATCH", "/admin/account", {"username": "somebody"}),
]


async def _break(app: RunningApp) -> None:
    """Takes tables away that the gate does not read."""

    def rename(batch: Batch) -> None:
        for table in _BROKEN:
            batch.connection.exec_driver_sql(f"ALTER TABLE {table} RENAME TO gone_{table}")

    await app.database.write(rename)


def _assert_nothing_told(answer: httpx2.Response, log: pytest.LogCaptureFixture) -> None:
    problem = assert_problem(answer, 500, "internal_error")
    assert problem["detail"] == "The server failed to answer this request."
    assert set(problem) == {"type", "title", "status", "detail", "code", "request_id"}
    said = f"request {problem['request_id']} failed"
    (failure,) = [record for record in log.records if record.getMessage() == said]
    assert failure.exc_info is not None
    assert "no such table" in str(failure.exc_info[1])


@pytest.mark.parametrize(("method", "path", "body"), _AGENTS)
async def test_an_agent_learns_nothing_of_a_failure_but_its_number(
    app: RunningApp, caplog: pytest.LogCaptureFixture, method: str, path: str, body: object
) -> None:
    alice = await app.agent("alice")
    await _break(app)

    answer = await alice.ask(method, path, json=body)

    _assert_nothing_told(answer, caplog)


@pytest.mark.parametrize(("method", "path", "body"), _CONSOLE)
async def test_the_console_learns_nothing_of_a_failure_but_its_number(
    app: RunningApp,
    owner: Browser,
    caplog: pytest.LogCaptureFixture,
    method: str,
    path: str,
    body: object,
) -> None:
    await _break(app)

    answer = await owner.ask(method, path, json=body)

    _assert_nothing_told(answer, caplog)
