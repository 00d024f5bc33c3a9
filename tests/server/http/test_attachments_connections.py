"""Attachments where connections, files and the disk are the subject: leaving, deleting, no room."""

import asyncio
import errno
import io
import logging
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from messenger_core.errors import AttachmentNotFound
from messenger_core.wire.mailboxes import RegisterMailbox
from messenger_core.wire.messages import SendMessage
from messenger_mcp.api_client import MessengerClient
from messenger_server.api.staging import Staging
from support.app import Agent, RunningApp, until
from support.files import CONTENT_TYPE, File, attached, message_part, send_in
from support.server_process import ServerProcess

_MB: Final = 1_048_576


class _Source(File):
    """A file as our client takes it."""

    @property
    def size_bytes(self) -> int:
        return len(self.content)

    def open(self) -> io.BytesIO:
        return io.BytesIO(self.content)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server process of this test."""
    with ServerProcess(tmp_path) as running:
        yield running


@pytest.fixture
def key(server: ServerProcess) -> str:
    """Opens every mailbox."""
    return server.create_key("k")


@pytest.fixture
async def client(server: ServerProcess, key: str) -> AsyncIterator[MessengerClient]:
    """Our client, for the mailbox alice; bob is there too."""
    client = MessengerClient(server.url, key, timeout_seconds=20)
    for client.address in ("bob", "alice"):
        await client.register(RegisterMailbox(agent_name="test"))
    yield client
    await client.aclose()


def _temporary_files(server: ServerProcess) -> list[str]:
    """The unnamed files that the server holds open."""
    folder = f"/proc/{server.process.pid}/fd"
    targets = [_target(f"{folder}/{number}") for number in os.listdir(folder)]
    of_data = str(server.db_path.parent)
    return [each for each in targets if each.startswith(of_data) and each.endswith(" (deleted)")]


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return ""


async def test_our_client_sends_25_mb_and_gets_them_back(
    server: ServerProcess, client: MessengerClient
) -> None:
    sources = [
        _Source(f"{number}.bin", os.urandom(size * _MB)) for number, size in enumerate((10, 10, 5))
    ]
    draft = SendMessage(to="bob", subject="files", body="see inside")

    sent = await client.send(draft, "once", sources)
    again = await client.send(draft, "once", sources)

    assert sent == again
    for shown, source in zip(sent.attachments, sources, strict=True):
        async with client.attachment(shown.id) as stream:
            content = b"".join([chunk async for chunk in stream.chunks])
        assert content == source.content
        assert stream.attachment == shown
    assert not _temporary_files(server)
    assert sorted(os.listdir(server.db_path.parent))[0].startswith("messenger.db")


@pytest.mark.usefixtures("client")
async def test_a_client_that_leaves_in_mid_upload_leaves_nothing(
    server: ServerProcess, key: str
) -> None:
    body = message_part() + File("a", b"x" * 3 * _MB).as_part()[:-2]
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        f"POST /api/messages HTTP/1.1\r\nHost: here\r\nContent-Length: {9 * _MB}\r\n"
        f"Content-Type: {CONTENT_TYPE}\r\nAuthorization: Bearer {key}\r\n"
        "X-Agent-Id: alice\r\n\r\n".encode()
    )
    writer.write(body)
    await writer.drain()

    async def is_staged() -> bool:
        return bool(_temporary_files(server))

    await until(is_staged)
    writer.transport.abort()

    async def is_gone() -> bool:
        # The line of the log comes behind the file's end.
        return not _temporary_files(server) and "POST /api/messages left" in server.log()

    await until(is_gone)
    assert "ERROR" not in server.log()
    assert [path for path in os.listdir(server.db_path.parent) if "messenger.db" not in path] == []


@pytest.fixture
async def alice(app: RunningApp) -> Agent:
    """Writes to bob, whose mailbox is there; in this process."""
    await app.agent("bob")
    return await app.agent("alice")


class _FullDisk(tempfile.SpooledTemporaryFile[bytes]):
    """A file on a disk where nothing fits any more."""

    code = errno.ENOSPC

    def write(self, _content: Any) -> int:
        raise OSError(self.code, "a fault of the disk")


class _BrokenDisk(_FullDisk):
    """A file on a disk that does not work."""

    code = errno.EIO


@pytest.mark.parametrize("encoding", ["json", "multipart"])
@pytest.mark.parametrize("size", [5, _MB])
async def test_a_full_disk_is_met_before_anything_is_done(
    alice: Agent,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    encoding: str,
    size: int,
) -> None:
    with monkeypatch.context() as patched, caplog.at_level(logging.ERROR):
        patched.setattr(tempfile, "SpooledTemporaryFile", _FullDisk)
        answer = await send_in(encoding, alice, [File("a", b"x" * size)], {"Idempotency-Key": "k"})

    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    assert int(answer.headers["Retry-After"]) >= 1
    assert "no room" in caplog.text
    assert (await alice.get("/api/messages", folder="sent")).json()["total"] == 0
    again = await send_in(encoding, alice, [File("a", b"x" * size)], {"Idempotency-Key": "k"})
    assert again.status_code == 201


async def test_a_broken_disk_is_a_failure_of_the_server(
    alice: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", _BrokenDisk)

    with caplog.at_level(logging.ERROR):
        answer = await send_in("multipart", alice, [File("a", b"x" * _MB)])

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "a fault of the disk" not in answer.text
    assert "a fault of the disk" in caplog.text


async def test_a_request_that_is_given_up_writes_no_more(tmp_path: Path) -> None:
    staging = Staging(tmp_path)
    staging.begin("a", None)
    await staging.write(b"x" * _MB)
    staging.close()

    await staging.write(b"x" * _MB)
    staging.close()

    assert os.listdir(tmp_path) == []


async def test_a_file_that_is_deleted_while_it_is_read_breaks_off(
    app: RunningApp, alice: Agent
) -> None:
    bob = app.stranger(alice.key, "bob")
    (file,) = await attached(alice, File("a", b"x" * _MB))
    ((sent,), (received,)) = [
        (await of.get("/api/messages", folder="all")).json()["messages"] for of in (alice, bob)
    ]
    answered: list[Any] = []

    async def send(message: Any) -> None:
        answered.append(message)
        if len(answered) == 2:
            for of, copy in ((alice, sent), (bob, received)):
                await of.post("/api/messages/delete", {"ids": [copy["id"]], "permanent": True})

    with pytest.raises(AttachmentNotFound):
        await app.app(_request(alice, f"/api/attachments/{file['id']}"), _nothing, send)

    assert answered[0]["status"] == 200
    assert sum(len(each.get("body", b"")) for each in answered) < _MB


def _request(agent: Agent, path: str) -> Any:
    headers = [(name.lower().encode(), value.encode()) for name, value in agent.headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
        "state": {},
    }


async def _nothing() -> Any:
    return {"type": "http.request", "body": b"", "more_body": False}
