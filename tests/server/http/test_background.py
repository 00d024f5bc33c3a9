"""What runs beside the requests goes on after a failure."""

import asyncio
import logging

import pytest

from messenger_server.database import Batch
from support.app import RunningApp, until


def _rename(batch: Batch, before: str, after: str) -> None:
    batch.connection.exec_driver_sql(f"ALTER TABLE {before} RENAME TO {after}")


async def test_a_failed_task_is_logged_and_done_again(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    alice = await app.agent("alice", key=await app.create_key("mine"))
    wait = asyncio.create_task(alice.get("/api/wait"))

    async def is_waiting() -> bool:
        return bool(app.hub.keys_in_use())

    async def is_logged() -> bool:
        return "a task of the background failed" in caplog.text

    await until(is_waiting)
    with caplog.at_level(logging.ERROR):
        await app.database.write(_rename, "api_key", "elsewhere")
        await until(is_logged)
        await app.database.write(_rename, "elsewhere", "api_key")
    await app.revoke_key("mine")

    async with asyncio.timeout(5):
        assert (await wait).json()["code"] == "api_key_revoked"


async def test_marks_that_cannot_be_written_are_logged_and_given_up(
    app: RunningApp, caplog: pytest.LogCaptureFixture
) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    first = await alice.send(bob)

    async def is_logged() -> bool:
        return "could not be marked" in caplog.text

    def is_broken(batch: Batch) -> None:
        batch.connection.exec_driver_sql(
            "CREATE TRIGGER broken BEFORE UPDATE ON delivery"
            " BEGIN SELECT raise(FAIL, 'broken'); END"
        )

    def is_mended(batch: Batch) -> None:
        batch.connection.exec_driver_sql("DROP TRIGGER broken")

    with caplog.at_level(logging.ERROR):
        await app.database.write(is_broken)
        given = await bob.get("/api/wait", after=0, watcher=True)
        await until(is_logged)
        await app.database.write(is_mended)

    assert given.json()["messages"][0]["id"] == first["id"]
    again = (await bob.get("/api/wait", after=0, watcher=True)).json()
    assert again["messages"][0]["announced_at"] is None
