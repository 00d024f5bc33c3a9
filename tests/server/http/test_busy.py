"""A full queue: writes are told to come back before anything of them is read."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

from messenger_server.database import Batch
from support.app import running_app


async def test_a_full_queue_refuses_writes_before_their_body_and_lets_reads_through(
    tmp_path: Path,
) -> None:
    async with running_app(tmp_path, queue_limit=8) as app:
        alice, bob = await app.agent("alice"), await app.agent("bob")
        sent = await alice.send(bob)
        begun, go_on = threading.Event(), threading.Event()
        was_read = False

        def block(_batch: Batch) -> None:
            begun.set()
            go_on.wait(5)

        async def body() -> AsyncIterator[bytes]:
            nonlocal was_read
            was_read = True
            yield b"{}"

        held = [asyncio.create_task(app.database.write(block))]
        assert await asyncio.to_thread(begun.wait, 5)
        while not app.database.is_full():
            held.append(asyncio.create_task(app.database.write(block)))
            await asyncio.sleep(0)

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

        go_on.set()
        await asyncio.gather(*held)
        assert (await bob.get(f"/api/messages/{sent['id']}")).json()["read_at"] is not None
