"""A small HTTP peer that speaks the waits of the contract, and misbehaves when it is told to."""

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import NamedTuple, Self
from urllib.parse import parse_qs, urlsplit

from msgspec.json import encode

from messenger_core.wire.common import Mailbox, Party
from messenger_core.wire.links import Link
from messenger_core.wire.messages import MessageSummary
from messenger_core.wire.wait import WaitResult

CREATED_AT = "2026-09-07T13:31:00.203Z"


class Asked(NamedTuple):
    """One request that the peer got."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def query(self) -> dict[str, str]:
        """The query, each name once."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.target).query).items()}


class Answer(NamedTuple):
    """What the peer answers instead of a wait."""

    status: int
    body: bytes
    headers: Mapping[str, str] = {}


class WaitPeer:
    """Listens on a free port; keeps what it was asked, and gives what was put into it."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers: list[Answer | None] = []
        """Given first, one a request; `None` breaks the connection."""
        self._events: list[MessageSummary | Link] = []
        self._more = asyncio.Event()
        self._port: int | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def head(self) -> int:
        """The newest `seq`."""
        return self._events[-1].seq if self._events else 0

    def put(self, *events: MessageSummary | Link) -> None:
        """Lets something arrive; wakes the waits."""
        self._events += events
        self._more.set()
        self._more = asyncio.Event()

    def restore(self, *events: MessageSummary | Link) -> None:
        """Goes on from another base."""
        self._events = list(events)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listens, on the port that it had when it listened before."""
        self._connections: set[asyncio.StreamWriter] = set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port or 0)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Closes the port and every connection."""
        self._server.close()
        for connection in self._connections:
            connection.transport.abort()
        self.put()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                asked = await _read_request(reader)
                self.asked.append(asked)
                answer = self.answers.pop(0) if self.answers else await self._wait(asked)
                if answer is None:
                    break
                writer.write(_response(answer))
                await writer.drain()
        self._connections.discard(writer)
        writer.close()

    async def _wait(self, asked: Asked) -> Answer:
        head = self.head
        after = min(int(asked.query.get("after", head)), head)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(float(asked.query.get("timeout_seconds", "30"))):
                while self.head <= after and self._server.is_serving():
                    await self._more.wait()
        found = [event for event in self._events if event.seq > after][:200]
        result = WaitResult(
            messages=[event for event in found if isinstance(event, MessageSummary)],
            links=[event for event in found if isinstance(event, Link)],
            cursor=found[-1].seq if found else after,
            timed_out=not found,
        )
        return Answer(200, encode(result))


def problem(status: int, code: str, detail: str = "No.", **headers: str) -> Answer:
    """A refusal as the server words it."""
    body = {"type": "about:blank", "title": "Refused", "status": status, "detail": detail}
    return Answer(status, json.dumps({**body, "code": code}).encode(), headers)


def a_message(
    seq: int, title: str = "Refactor ready", name: str | None = "planner"
) -> MessageSummary:
    """A message that arrived."""
    return MessageSummary(
        id=f"msg_{seq:010x}",
        seq=seq,
        thread_id="thr_0000000001",
        thread_title=title,
        from_=Party(
            id="box_00000000000000aa", agent_name="the agent", display_name=name, deleted=False
        ),
        to=Party(id="box_00000000000000bb", agent_name=None, display_name=None, deleted=False),
        subject=title,
        preview="",
        priority="normal",
        folder="inbox",
        role="recipient",
        announced_at=None,
        read_at=None,
        flagged=False,
        has_attachments=False,
        reply_to=None,
        created_at=CREATED_AT,
    )


def a_link(
    seq: int,
    note: str | None = "Connect the feed",
    agent_name: str | None = "Documentor Dev",
    display_name: str | None = "RSS feed",
) -> Link:
    """A link that the person made."""
    return Link(
        id=f"lnk_{seq:010x}",
        seq=seq,
        mailbox=Mailbox(
            id="box_3a7e19c0d4b2f6e1",
            agent_name=agent_name,
            agent_description=None,
            display_name=display_name,
            description=None,
            created_at=CREATED_AT,
            last_seen_at=None,
            last_activity_at=None,
            linked=True,
        ),
        note=note,
        created_at=CREATED_AT,
        received_at=None,
    )


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = {
        name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:-2])
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, target, headers, body)


def _response(answer: Answer) -> bytes:
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(answer.body)),
        **{name.replace("_", "-"): value for name, value in answer.headers.items()},
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer.status} Whatever\r\n{lines}\r\n".encode("latin-1") + answer.body
