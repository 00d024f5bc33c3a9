"""Promise 5: an acknowledged message is never lost and never doubled, whatever kills the server."""

import asyncio
import sqlite3
from collections import Counter
from pathlib import Path

import httpx2

from support.server_process import ServerProcess

CLIENTS = 6
KILLS = 3
SENDS_BETWEEN_KILLS = 60


class Fleet:
    """Six clients that send without a pause, each message until it is acknowledged."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.acknowledged: dict[str, str] = {}
        self.server_is_up = asyncio.Event()
        self.server_is_up.set()
        self.stopping = False
        self._changed = asyncio.Condition()

    async def send_for_ever(self, name: str, http: httpx2.AsyncClient) -> None:
        number = 0
        while not self.stopping:
            body = f"{name}-{number}"
            message_id = await self._send_until_acknowledged(http, body)
            async with self._changed:
                self.acknowledged[body] = message_id
                self._changed.notify_all()
            number += 1

    async def wait_for(self, count: int) -> None:
        async with asyncio.timeout(30), self._changed:
            await self._changed.wait_for(lambda: len(self.acknowledged) >= count)

    async def _send_until_acknowledged(self, http: httpx2.AsyncClient, body: str) -> str:
        draft = {"to": "reader", "subject": "Load", "body": body}
        while True:
            await self.server_is_up.wait()
            try:
                answer = await http.post(
                    "/api/messages", json=draft, headers={"Idempotency-Key": f"key-{body}"}
                )
            except httpx2.TransportError:
                continue
            assert answer.status_code in {200, 201}, answer.text
            return str(answer.json()["id"])


def client(server: ServerProcess, key: str, address: str) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {key}", "X-Agent-Id": address}
    return httpx2.AsyncClient(
        base_url=server.url, headers=headers, timeout=10, transport=httpx2.AsyncHTTPTransport()
    )


async def every_message(http: httpx2.AsyncClient, folder: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    before: int | None = None
    while True:
        query: dict[str, str | int] = {"folder": folder, "limit": 200}
        if before is not None:
            query["before"] = before
        page = (await http.get("/api/messages", params=query)).json()
        found += [(message["id"], message["preview"]) for message in page["messages"]]
        before = page["next"]
        if before is None:
            return found


async def fill_and_kill(server: ServerProcess, key: str) -> dict[str, str]:
    fleet = Fleet(server)
    senders = [client(server, key, f"sender-{number}") for number in range(CLIENTS)]
    for sender in senders:
        (await sender.post("/api/agents/register", json={})).raise_for_status()
    async with asyncio.TaskGroup() as tasks:
        for number, sender in enumerate(senders):
            tasks.create_task(fleet.send_for_ever(f"client-{number}", sender))
        for kill in range(1, KILLS + 1):
            await fleet.wait_for(kill * SENDS_BETWEEN_KILLS)
            fleet.server_is_up.clear()
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.restart)
            fleet.server_is_up.set()
        await fleet.wait_for((KILLS + 1) * SENDS_BETWEEN_KILLS)
        fleet.stopping = True
    for sender in senders:
        await sender.aclose()
    return fleet.acknowledged


def check_base(path: Path) -> None:
    with sqlite3.connect(path) as base:
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert base.execute("PRAGMA foreign_key_check").fetchall() == []
        base.execute("INSERT INTO message_search (message_search) VALUES ('integrity-check')")
        stored, counted = base.execute(
            "SELECT (SELECT count(*) FROM delivery), (SELECT sum(total) FROM folder_count)"
        ).fetchone()
    base.close()
    assert stored == counted


async def test_promise_5_three_kills_lose_no_acknowledged_message_and_double_none(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path, settings={"MESSENGER_RATE_LIMIT_MAX": "0"}) as server:
        key = server.create_key("fleet")
        acknowledged = await fill_and_kill(server, key)
        async with client(server, key, "reader") as reader:
            (await reader.post("/api/agents/register", json={})).raise_for_status()
            received = await every_message(reader, "inbox")
            status = (await reader.get("/api/mailbox")).json()
        server.terminate()
        check_base(server.db_path)

    assert {body: message_id for message_id, body in received} == acknowledged
    assert max(Counter(body for _id, body in received).values()) == 1
    inbox = next(folder for folder in status["folders"] if folder["name"] == "inbox")
    assert inbox["total"] == inbox["unread"] == len(acknowledged)
