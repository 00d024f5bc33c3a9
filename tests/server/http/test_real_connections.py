"""What only a real connection shows: a client that leaves, a stop, a body in pieces."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from support.app import until
from support.server_process import ServerProcess


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server process of this test."""
    with ServerProcess(tmp_path) as running:
        yield running


@asynccontextmanager
async def _client(
    server: ServerProcess, address: str, key: str
) -> AsyncIterator[httpx2.AsyncClient]:
    headers = {"Authorization": f"Bearer {key}", "X-Agent-Id": address}
    async with httpx2.AsyncClient(base_url=server.url, headers=headers, timeout=10) as client:
        answer = await client.post("/api/agents/register", json={})
        assert answer.status_code in {200, 201}, answer.text
        yield client


async def _is_waiting(client: httpx2.AsyncClient) -> bool:
    return bool((await client.get("/api/mailbox")).json()["watcher"]["waiting"])


async def test_a_client_that_leaves_frees_its_wait_at_once(server: ServerProcess) -> None:
    key = server.create_key("k")
    async with _client(server, "bob", key) as bob:
        async with _open_wait(server, "bob", key):
            await until(lambda: _is_waiting(bob))

        async def is_free() -> bool:
            return not await _is_waiting(bob)

        await until(is_free)
        assert (await bob.get("/api/mailbox")).json()["watcher"]["armed"] is True
    assert "ERROR" not in server.log()


async def test_a_key_revoked_on_the_command_line_ends_its_open_wait(server: ServerProcess) -> None:
    key = server.create_key("mine")
    async with _client(server, "bob", key) as bob:
        wait = asyncio.create_task(bob.get("/api/wait", params={"watcher": "true"}))
        await until(lambda: _is_waiting(bob))
        (line,) = server.run("keys", "list").stdout.splitlines()[-1:]
        key_id = next(word for word in line.split() if word.startswith("key_"))

        revoked = await asyncio.to_thread(server.run, "keys", "revoke", key_id)
        assert revoked.returncode == 0, revoked.stderr
        async with asyncio.timeout(5):
            answer = await wait

    assert (answer.status_code, answer.json()["code"]) == (401, "api_key_revoked")


async def test_a_stop_ends_open_waits_with_an_answer(server: ServerProcess) -> None:
    key = server.create_key("k")
    async with _client(server, "bob", key) as bob:
        waits = [
            asyncio.create_task(bob.get("/api/wait", params={"watcher": "true"})) for _ in range(20)
        ]
        await until(lambda: _is_waiting(bob))

        seconds = await asyncio.to_thread(server.terminate)
        answers = await asyncio.gather(*waits)

    assert {answer.status_code for answer in answers} == {200}
    assert all(answer.json()["timed_out"] for answer in answers)
    assert seconds < 2


async def test_a_body_in_pieces_is_limited_on_a_real_connection_too(server: ServerProcess) -> None:
    async with _client(server, "bob", server.create_key("k")) as bob:

        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(40):
                yield b" " * 65_536

        answer = await bob.patch("/api/agents/me", content=pieces())

    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_failure(
    server: ServerProcess,
) -> None:
    key = server.create_key("k")
    async with _client(server, "bob", key) as bob:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"PATCH /api/agents/me HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n"
            f"Authorization: Bearer {key}\r\nX-Agent-Id: bob\r\n\r\n{{".encode()
        )
        await writer.drain()
        await bob.get("/health")
        writer.transport.abort()

        async def has_left() -> bool:
            return "PATCH /api/agents/me left" in server.log()

        await until(has_left)
    assert "ERROR" not in server.log()


@asynccontextmanager
async def _open_wait(server: ServerProcess, address: str, key: str) -> AsyncIterator[None]:
    """A wait on a connection that is cut when the block ends."""
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        f"GET /api/wait?watcher=true&timeout_seconds=60 HTTP/1.1\r\nHost: here\r\n"
        f"Authorization: Bearer {key}\r\nX-Agent-Id: {address}\r\n\r\n".encode()
    )
    try:
        yield
    finally:
        writer.transport.abort()
