"""A send with files over a real connection: what goes over the wire, and what never does."""

import asyncio
import contextlib
import tracemalloc
from collections.abc import AsyncIterator, Callable
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import HTTP
from functools import partial
from pathlib import Path

import pytest

from messenger_core import errors
from messenger_core.limits import MEGABYTE
from messenger_core.wire.messages import SendMessage
from messenger_mcp.api_client import MessengerClient, Unreachable
from messenger_mcp.attachments import AttachedFile, FileSource, ReadingRules, check_files
from messenger_mcp.local_paths import PathRefused
from messenger_mcp.sending import OnceSender, OutcomeUnknown, Pauses
from support.wait_peer import WaitPeer, problem

pytestmark = pytest.mark.anyio

DRAFT = SendMessage(to="box_1", subject="s", body="b")


@pytest.fixture
async def peer() -> AsyncIterator[WaitPeer]:
    """Answers what it is told to."""
    async with WaitPeer() as listening:
        yield listening


@pytest.fixture
async def client(peer: WaitPeer) -> AsyncIterator[MessengerClient]:
    """A client of the peer."""
    made = MessengerClient(peer.url, "mk_x", timeout_seconds=5, address="planner")
    yield made
    await made.aclose()


def source(path: Path, content: bytes = b"content", name: str | None = None) -> FileSource:
    """A checked file of this content."""
    path.write_bytes(content)
    file = AttachedFile(path=str(path)) if name is None else AttachedFile(path=str(path), name=name)
    return check_files([file], ReadingRules(state_dir=Path("/nowhere"), roots=None))[0]


async def test_the_message_goes_first_then_a_part_for_each_file(
    peer: WaitPeer, client: MessengerClient, tmp_path: Path
) -> None:
    peer.answers = [problem(404, "mailbox_not_found")]
    files = [
        source(tmp_path / "a.txt", b"first\r\n--\r\n"),
        source(tmp_path / "b", b"", 'x"y\r\nz.md'),
    ]

    with pytest.raises(errors.MailboxNotFound):
        await client.send(DRAFT, "key-1", files)

    (asked,) = peer.asked
    assert (asked.method, asked.target) == ("POST", "/api/messages")
    assert asked.headers["content-length"] == str(len(asked.body))
    assert "transfer-encoding" not in asked.headers
    assert asked.headers["idempotency-key"] == "key-1"
    assert asked.headers["x-agent-id"] == "planner"
    content_type = asked.headers["content-type"]
    head = f"Content-Type: {content_type}\r\nContent-Transfer-Encoding: binary\r\n\r\n".encode()
    whole = BytesParser(EmailMessage, policy=HTTP).parsebytes(head + asked.body)
    message, first, second = whole.iter_parts()
    assert str(message["Content-Disposition"]) == 'form-data; name="message"'
    assert message.get_content().strip() == b'{"body":"b","to":"box_1","subject":"s"}'
    assert str(first["Content-Disposition"]) == 'form-data; name="file0"; filename="a.txt"'
    assert "Content-Type" not in first
    assert b'filename="x%22y%0D%0Az.md"\r\n\r\n' in asked.body
    assert second.get_payload() == ""
    assert b"\r\n\r\nfirst\r\n--\r\n\r\n--messenger-" in asked.body


async def test_a_message_without_files_stays_json(peer: WaitPeer, client: MessengerClient) -> None:
    peer.answers = [problem(404, "mailbox_not_found")]

    with pytest.raises(errors.MailboxNotFound):
        await client.send(DRAFT, "key-1", [])

    assert peer.asked[0].headers["content-type"] == "application/json"


async def test_each_try_sends_the_same_bytes_under_the_same_key(
    peer: WaitPeer, client: MessengerClient, tmp_path: Path
) -> None:
    peer.answers = [None, problem(503, "busy"), problem(404, "mailbox_not_found")]
    files = [source(tmp_path / "a", b"x" * MEGABYTE)]
    pauses = Pauses(sleep=lambda _: asyncio.sleep(0))

    with pytest.raises(errors.MailboxNotFound):
        await OnceSender(pauses).send(
            "planner", DRAFT, lambda key: client.send(DRAFT, key, files), files
        )

    assert len(peer.asked) == 3
    assert len({asked.headers["idempotency-key"] for asked in peer.asked}) == 1
    assert len({asked.body.split(b"\r\n\r\n", 2)[2][:MEGABYTE] for asked in peer.asked}) == 1


async def test_the_key_of_an_unknown_outcome_is_kept_for_the_same_files_alone(
    peer: WaitPeer, client: MessengerClient, tmp_path: Path
) -> None:
    sender = OnceSender(Pauses(sleep=lambda _: asyncio.sleep(0)))
    refusal = problem(404, "mailbox_not_found")

    async def send(content: bytes) -> str:
        files = [source(tmp_path / "a", content)]
        with pytest.raises((OutcomeUnknown, errors.MailboxNotFound)):
            await sender.send("planner", DRAFT, lambda key: client.send(DRAFT, key, files), files)
        return peer.asked[-1].headers["idempotency-key"]

    peer.answers = [problem(500, "internal_error")]
    with pytest.raises(errors.InternalError):
        await send(b"one")
    unclear = peer.asked[-1].headers["idempotency-key"]
    peer.answers = [refusal, refusal]

    assert await send(b"two") != unclear
    assert await send(b"one") == unclear


class AbruptPeer:
    """Reads so many bytes of a request, answers what it is told, and keeps what it got."""

    def __init__(self, reads: int | None, answer: bytes = b"") -> None:
        self.got = b""
        self.ended = asyncio.Event()
        self.when_it_begins: Callable[[], None] = lambda: None
        self._reads = reads
        self._answer = answer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while self._reads is None or len(self.got) < self._reads:
                piece = await reader.read(65536)
                if not piece:
                    break
                if not self.got:
                    self.when_it_begins()
                self.got += piece
            writer.write(self._answer)
            await writer.drain()
        writer.close()
        self.ended.set()


@contextlib.asynccontextmanager
async def client_of(peer: AbruptPeer) -> AsyncIterator[MessengerClient]:
    async with await asyncio.start_server(peer.serve, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        client = MessengerClient(url, "mk_x", timeout_seconds=5)
        yield client
        await client.aclose()


async def test_a_server_that_refuses_before_it_read_everything_is_understood(
    tmp_path: Path,
) -> None:
    body = (
        b'{"type":"about:blank","title":"Content Too Large","status":413,'
        b'"detail":"Too large.","code":"attachment_too_large"}'
    )
    head = b"HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    peer = AbruptPeer(1024, head + body)
    async with client_of(peer) as client:
        # A connection that is reset may lose the answer: then it is no answer, never another one.
        with pytest.raises((errors.AttachmentTooLarge, Unreachable)):
            await client.send(DRAFT, "key", [source(tmp_path / "a", b"x" * 8 * MEGABYTE)])

    assert len(peer.got) < MEGABYTE


async def test_a_file_that_changes_in_mid_send_leaves_no_whole_request(tmp_path: Path) -> None:
    content = b"x" * 4 * MEGABYTE
    file = source(tmp_path / "a", content)
    peer = AbruptPeer(None)

    def change() -> None:
        with (tmp_path / "a").open("r+b") as changing:
            changing.seek(-1, 2)
            changing.write(b"y")

    peer.when_it_begins = change
    async with client_of(peer) as client:
        with pytest.raises(PathRefused, match="changed while it was read"):
            await client.send(DRAFT, "key", [file])
        async with asyncio.timeout(5):
            await peer.ended.wait()

    head, _, body = peer.got.partition(b"\r\n\r\n")
    assert len(body) < content_length(head)
    assert not body.endswith(b"--\r\n")


async def test_a_changed_file_is_no_unknown_outcome_unless_an_earlier_try_is(
    peer: WaitPeer, client: MessengerClient, tmp_path: Path
) -> None:
    path = tmp_path / "a"

    async def pause(_: float) -> None:
        path.write_bytes(b"changed")

    for answer, expected in ((problem(503, "busy"), PathRefused), (None, OutcomeUnknown)):
        peer.answers = [answer]
        files = [source(path)]
        attempt = partial(client.send, DRAFT, sources=files)
        with pytest.raises(expected, match="changed while it was read"):
            await OnceSender(Pauses(sleep=pause)).send("planner", DRAFT, attempt, files)


async def test_a_large_send_needs_little_memory(tmp_path: Path) -> None:
    files = [source(tmp_path / f"{n}", b"%d" % n * 8 * MEGABYTE) for n in range(3)]
    async with client_of(_Sink()) as client:
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            with pytest.raises(errors.MailboxNotFound):
                await client.send(DRAFT, "key", files)
            peak = tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()

    assert peak < 4 * MEGABYTE


class _Sink(AbruptPeer):
    """Reads a whole request, keeps nothing of it, and refuses."""

    def __init__(self) -> None:
        super().__init__(None)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        left_bytes = content_length(head)
        while left_bytes:
            left_bytes -= len(await reader.read(min(left_bytes, 65536)))
        body = b'{"title":"No","status":404,"detail":"No.","code":"mailbox_not_found"}'
        writer.write(b"HTTP/1.1 404 No\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()


def content_length(head: bytes) -> int:
    """What a request says of its body's length."""
    (length,) = (
        int(line.partition(b":")[2])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    )
    return length
