"""A full queue: writes are told to come back before anything of them is read; marks wait."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from messenger_core.errors import Busy
from messenger_server.database import Batch
from messenger_server.marks import AnnouncedMarks
from messenger_server.store.audit import AuditEntry, record
from support.app import RunningApp, running_app, until
from support.browser import Browser, browser_at, set_up_account
from support.problems import assert_problem


@asynccontextmanager
async def _full_queue(app: RunningApp) -> AsyncIterator[None]:
    """The writer stands still and its queue is full while the block runs."""
    begun, go_on = threading.Event(), threading.Event()

    def block(_batch: Batch) -> None:
        begun.set()
        go_on.wait(5)

    held = [asyncio.create_task(app.database.write(block))]
    assert await asyncio.to_thread(begun.wait, 5)
    while not app.database.is_full():
        held.append(asyncio.create_task(app.database.write(block)))
        await asyncio.sleep(0)
    try:
        yield
    finally:
        go_on.set()
        await asyncio.gather(*held)


@asynccontextmanager
async def _full_disk(app: RunningApp) -> AsyncIterator[None]:
    """Not one more entry of the audit trail finds room while the block runs."""

    def bound(batch: Batch, pages: int) -> None:
        batch.connection.execute(text(f"PRAGMA max_page_count = {pages}")).all()

    async def fill() -> None:
        while True:
            await app.database.write(record, AuditEntry("signed_out"))

    await app.database.write(bound, 1)  # SQLite takes the pages that there are
    with pytest.raises(Busy):
        await asyncio.wait_for(fill(), 5)
    yield
    await app.database.write(bound, 1_000_000)


async def test_a_full_queue_refuses_writes_before_their_body_and_lets_reads_through(
    tmp_path: Path,
) -> None:
    async with running_app(tmp_path, queue_limit=8) as app:
        alice, bob = await app.agent("alice"), await app.agent("bob")
        sent = await alice.send(bob)
        was_read = False

        async def body() -> AsyncIterator[bytes]:
            nonlocal was_read
            was_read = True
            yield b"{}"

        async with _full_queue(app):
            for method, path in (
                ("POST", "/api/messages"),
                ("POST", "/api/agents/register"),
                ("PATCH", "/api/agents/me"),
                ("PATCH", f"/api/threads/{sent['thread_id']}"),
            ):
                answer = await alice.ask(method, path, content=body())
                assert (answer.status_code, answer.json()["code"]) == (503, "busy")
                assert int(answer.headers["Retry-After"]) >= 1
            unmarked = await bob.get(f"/api/messages/{sent['id']}")
            assert (await alice.get("/api/messages")).status_code == 200
            assert unmarked.status_code == 503
            assert not was_read

        assert (await bob.get(f"/api/messages/{sent['id']}")).json()["read_at"] is not None


async def _assert_signed_out_alone(browser: Browser) -> None:
    secret = browser.cookies["messenger_session"]
    answer = await browser.post("/ui/logout")

    assert "is signed out" in assert_problem(answer, 503, "busy")["detail"]
    assert answer.headers["Set-Cookie"].startswith("messenger_session=; Max-Age=0;")
    assert int(answer.headers["Retry-After"]) >= 1
    assert browser.cookies == {}
    kept = {"Cookie": f"messenger_session={secret}"}
    assert (await browser.ask("GET", "/admin/account", headers=kept)).status_code == 200


async def test_who_signs_out_while_the_queue_is_full_is_signed_out_in_the_browser(
    tmp_path: Path,
) -> None:
    async with running_app(tmp_path, queue_limit=8) as app, browser_at(app) as browser:
        await set_up_account(app, browser)
        async with _full_queue(app):
            await _assert_signed_out_alone(browser)


async def test_who_signs_out_while_the_disk_is_full_is_signed_out_in_the_browser(
    app: RunningApp, owner: Browser
) -> None:
    async with _full_disk(app):
        await _assert_signed_out_alone(owner)


async def test_what_was_handed_over_while_the_queue_was_full_is_marked_later(
    tmp_path: Path,
) -> None:
    async with running_app(tmp_path, queue_limit=8) as app:
        alice, bob = await app.agent("alice"), await app.agent("bob")
        sent = await alice.send(bob)

        async def announced_at() -> str | None:
            path = f"/api/messages/{sent['id']}?mark_read=false"
            found: str | None = (await bob.get(path)).json()["announced_at"]
            return found

        async def is_marked() -> bool:
            return await announced_at() is not None

        async with _full_queue(app):
            given = await bob.get("/api/wait", after=0, watcher=True)
            assert len(given.json()["messages"]) == 1
            assert not await is_marked()

        await until(is_marked)


async def test_marks_that_wait_for_ever_do_not_fill_the_memory(tmp_path: Path) -> None:
    async with running_app(tmp_path, queue_limit=8) as app:
        marks = AnnouncedMarks(app.database)
        async with _full_queue(app):
            marks.add(1, range(100_050))
            assert len(marks._pending) == 100_000
            assert (1, 49) not in marks._pending
        await marks.finish()
        assert not marks._pending


async def test_a_database_that_stops_keeps_the_marks_waiting(tmp_path: Path) -> None:
    async with running_app(tmp_path) as app:
        marks = AnnouncedMarks(app.database)
        await app.database.close()

        marks.add(1, [5])
        await marks.finish()

        assert list(marks._pending) == [(1, 5)]
