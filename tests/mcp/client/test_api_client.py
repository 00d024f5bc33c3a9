"""The client of the routes: what it sends, and what every kind of answer becomes."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from messenger_core import errors
from messenger_core.errors import MessengerError
from messenger_core.wire.folders import CreateFolder
from messenger_core.wire.mailboxes import DirectoryQuery, RegisterMailbox, RenameMailbox
from messenger_core.wire.messages import (
    Attachment,
    DeleteMessages,
    MarkMessages,
    MessageQuery,
    MoveMessages,
    SendMessage,
)
from messenger_core.wire.threads import RenameThread, ThreadQuery, ThreadReadQuery
from messenger_core.wire.wait import WaitQuery
from messenger_mcp.api_client import MessengerClient, Unreachable
from messenger_mcp.config import SettingError
from support.wait_peer import Answer, WaitPeer, problem

pytestmark = pytest.mark.anyio

KEY = "mk_not_to_be_seen"
Call = Callable[[MessengerClient], Awaitable[object]]


@pytest.fixture
async def peer() -> AsyncIterator[WaitPeer]:
    """Answers what it is told to."""
    async with WaitPeer() as listening:
        yield listening


@pytest.fixture
async def client(peer: WaitPeer) -> AsyncIterator[MessengerClient]:
    """A client of the peer, for one mailbox."""
    made = MessengerClient(peer.url, KEY, timeout_seconds=0.5, address="planner")
    yield made
    await made.aclose()


async def fetch(client: MessengerClient, attachment_id: str) -> tuple[Attachment, bytes]:
    """An attachment, whole."""
    async with client.attachment(attachment_id) as stream:
        return stream.attachment, b"".join([piece async for piece in stream.chunks])


CALLS: list[tuple[Call, str, str, bytes]] = [
    (lambda client: client.health(), "GET", "/health", b""),
    (
        lambda client: client.register(RegisterMailbox(agent_name="a", fresh=True)),
        "POST",
        "/api/agents/register",
        b'{"agent_name":"a","fresh":true}',
    ),
    (lambda client: client.status(), "GET", "/api/mailbox", b""),
    (
        lambda client: client.directory(DirectoryQuery(search="é&a", limit=5)),
        "GET",
        "/api/agents?search=%C3%A9%26a&limit=5",
        b"",
    ),
    (lambda client: client.mailbox("box_1"), "GET", "/api/agents/box_1", b""),
    (
        lambda client: client.rename_mailbox(RenameMailbox(display_name=None)),
        "PATCH",
        "/api/agents/me",
        b'{"display_name":null}',
    ),
    (
        lambda client: client.send(SendMessage(to="box_1", subject="s", body="b")),
        "POST",
        "/api/messages",
        b'{"body":"b","to":"box_1","subject":"s"}',
    ),
    (
        lambda client: client.list_messages(MessageQuery(unread_only=True, from_="box_1")),
        "GET",
        "/api/messages?unread_only=true&from=box_1",
        b"",
    ),
    (
        lambda client: client.read_message("msg_1", mark_read=True),
        "GET",
        "/api/messages/msg_1",
        b"",
    ),
    (
        lambda client: client.read_message("msg_1", mark_read=False),
        "GET",
        "/api/messages/msg_1?mark_read=false",
        b"",
    ),
    (
        lambda client: client.mark(MarkMessages(ids=["msg_1"], read=False)),
        "POST",
        "/api/messages/mark",
        b'{"ids":["msg_1"],"read":false}',
    ),
    (
        lambda client: client.move(MoveMessages(ids=["msg_1"], folder="inbox")),
        "POST",
        "/api/messages/move",
        b'{"ids":["msg_1"],"folder":"inbox"}',
    ),
    (
        lambda client: client.delete(DeleteMessages(ids=["msg_1"])),
        "POST",
        "/api/messages/delete",
        b'{"ids":["msg_1"]}',
    ),
    (lambda client: client.folders(), "GET", "/api/folders", b""),
    (
        lambda client: client.create_folder(CreateFolder(name="é")),
        "POST",
        "/api/folders",
        '{"name":"é"}'.encode(),
    ),
    (lambda client: client.links(), "GET", "/api/links", b""),
    (lambda client: fetch(client, "att_1/.."), "GET", "/api/attachments/att_1%2F%2E%2E", b""),
    (
        lambda client: client.list_threads(ThreadQuery(before=9)),
        "GET",
        "/api/threads?before=9",
        b"",
    ),
    (
        lambda client: client.get_thread("thr_1", ThreadReadQuery(newest_first=True)),
        "GET",
        "/api/threads/thr_1?newest_first=true",
        b"",
    ),
    (
        lambda client: client.rename_thread("thr_1", RenameThread(title="t")),
        "PATCH",
        "/api/threads/thr_1",
        b'{"title":"t"}',
    ),
    (
        lambda client: client.wait(WaitQuery(timeout_seconds=5.0, watcher=True, after=0)),
        "GET",
        "/api/wait?timeout_seconds=5.0&watcher=true&after=0",
        b"",
    ),
]


@pytest.mark.parametrize(("call", "method", "target", "body"), CALLS)
async def test_every_method_asks_its_route_with_the_key_and_the_mailbox(
    peer: WaitPeer, client: MessengerClient, call: Call, method: str, target: str, body: bytes
) -> None:
    peer.answers = [problem(404, "not_found")]

    with pytest.raises(errors.NotFound):
        await call(client)

    (asked,) = peer.asked
    assert (asked.method, asked.target, asked.body) == (method, target, body)
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["x-agent-id"] == "planner"
    assert asked.headers["user-agent"].startswith("messenger-mcp/")


@pytest.mark.parametrize("call", [call for call, *_ in CALLS])
async def test_every_method_says_when_no_messenger_server_answers(
    peer: WaitPeer, client: MessengerClient, call: Call
) -> None:
    peer.answers = [Answer(200, b"<html>")]

    with pytest.raises(Unreachable, match="not a Messenger server"):
        await call(client)


async def test_a_folder_is_removed_by_its_name(peer: WaitPeer, client: MessengerClient) -> None:
    peer.answers = [Answer(204, b""), problem(403, "system_folder")]

    await client.delete_folder("a/b é")
    with pytest.raises(errors.SystemFolder):
        await client.delete_folder("inbox")

    targets = [(asked.method, asked.target) for asked in peer.asked]
    assert targets == [
        ("DELETE", "/api/folders/a%2Fb%20%C3%A9"),
        ("DELETE", "/api/folders/inbox"),
    ]


SHA256 = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("disposition", "filename"),
    [
        ('attachment; filename="a b.txt"', "a b.txt"),
        ("attachment; filename=\"_.txt\"; filename*=UTF-8''%E6%97%A5%22%3B.txt", '日";.txt'),
        ("attachment; filename*=utf-8''%FF%FE", "\ufffd\ufffd"),
        ("attachment", "att_1"),
    ],
)
async def test_an_attachment_comes_with_what_its_headers_say(
    peer: WaitPeer, client: MessengerClient, disposition: str, filename: str
) -> None:
    headers = {
        "ETag": f'"{SHA256}"',
        "Content-Disposition": disposition,
        "Content-Type": "text/x",
    }
    peer.answers = [Answer(200, b"content", headers)]

    facts, content = await fetch(client, "att_1")

    assert content == b"content"
    assert facts == Attachment(
        id="att_1", filename=filename, mime_type="text/x", size=7, sha256=SHA256
    )
    assert peer.asked[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("etag", ["", '"other"', f'"{SHA256}0"', SHA256])
async def test_an_attachment_without_its_digest_is_not_our_server_s(
    peer: WaitPeer, client: MessengerClient, etag: str
) -> None:
    peer.answers = [Answer(200, b"content", {"ETag": etag})]

    with pytest.raises(Unreachable, match="is not a Messenger server"):
        await fetch(client, "att_1")


async def test_an_attachment_that_breaks_off_is_told(
    peer: WaitPeer, client: MessengerClient
) -> None:
    peer.answers = [Answer(200, b"half", {"ETag": f'"{SHA256}"', "Content-Length": "8"}), None]

    with pytest.raises(Unreachable):
        await fetch(client, "att_1")


async def test_an_answer_of_a_newer_server_is_read(peer: WaitPeer, client: MessengerClient) -> None:
    peer.answers = [
        Answer(200, b'{"messages":[],"links":[],"cursor":5,"timed_out":true,"new_field":1}')
    ]

    assert (await client.wait(WaitQuery())).cursor == 5


async def test_the_idempotency_key_is_sent(peer: WaitPeer, client: MessengerClient) -> None:
    peer.answers = [problem(503, "busy")]

    with pytest.raises(errors.Busy):
        await client.send(SendMessage(to="box_1", subject="s", body="b"), "key-1")

    assert peer.asked[0].headers["idempotency-key"] == "key-1"


@pytest.mark.parametrize("code", sorted(errors.CATALOGUE))
async def test_every_code_comes_back_as_its_own_error(
    peer: WaitPeer, client: MessengerClient, code: str
) -> None:
    kind = errors.CATALOGUE[code]
    peer.answers = [problem(kind.status, code, "Because.", Retry_After="7")]

    with pytest.raises(MessengerError) as refused:
        await client.status()

    assert str(refused.value).startswith("Because.")
    assert refused.value.retry_after_seconds == 7
    if kind is not MessengerError:
        assert type(refused.value) is kind


async def test_the_faults_of_a_request_come_back(peer: WaitPeer, client: MessengerClient) -> None:
    body = (
        b'{"type":"about:blank","title":"Bad Request","status":400,"detail":"Two faults.",'
        b'"code":"invalid_request","errors":[{"field":"to","message":"is missing"}]}'
    )
    peer.answers = [Answer(400, body)]

    with pytest.raises(errors.InvalidRequest) as refused:
        await client.status()

    assert refused.value.errors == (errors.FieldError("to", "is missing"),)


@pytest.mark.parametrize(
    ("status", "family"),
    [(401, errors.Unauthorized), (404, errors.NotFound), (409, errors.Conflict)],
)
async def test_a_code_of_a_newer_server_keeps_the_family_of_its_status(
    peer: WaitPeer, client: MessengerClient, status: int, family: type[MessengerError]
) -> None:
    peer.answers = [problem(status, "a_code_to_come", "Because.")]

    with pytest.raises(family) as refused:
        await client.status()

    assert str(refused.value) == f"Because. (Refused, HTTP {status}, a_code_to_come)"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(502, b"<html>"), "the proxy before it has no server to ask (HTTP 502)"),
        (Answer(404, b"<html>"), "what answers there (HTTP 404) is not a Messenger server"),
        (Answer(401, b"{}"), "what answers there (HTTP 401) is not a Messenger server"),
        (
            Answer(302, b"", {"Location": "https://me:secret@elsewhere.example/x?token=secret"}),
            "it redirects to https://elsewhere.example (HTTP 302)",
        ),
        (None, "it closed the connection"),
    ],
)
async def test_what_is_no_answer_of_a_messenger_server_is_told_in_words(
    peer: WaitPeer, client: MessengerClient, answer: Answer | None, words: str
) -> None:
    peer.answers = [answer]

    with pytest.raises(Unreachable) as failed:
        await client.status()

    assert peer.url in str(failed.value)
    assert words in str(failed.value)
    assert "secret" not in str(failed.value)
    assert failed.value.may_have_arrived


async def test_a_redirect_is_not_followed(peer: WaitPeer, client: MessengerClient) -> None:
    async with WaitPeer() as elsewhere:
        peer.answers = [Answer(307, b"", {"Location": elsewhere.url + "/api/mailbox"})]
        with pytest.raises(Unreachable, match="a redirect is not followed"):
            await client.status()

        assert elsewhere.asked == []


async def test_retry_after_of_a_proxy_is_kept(peer: WaitPeer, client: MessengerClient) -> None:
    peer.answers = [Answer(503, b"busy", {"Retry-After": "3"})]

    with pytest.raises(Unreachable) as failed:
        await client.status()

    assert failed.value.retry_after_seconds == 3
    assert failed.value.status == 503


async def test_nobody_listening_is_told_and_nothing_can_have_arrived() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    client = MessengerClient(url, KEY, timeout_seconds=5)

    with pytest.raises(Unreachable, match="connection refused") as failed:
        await client.health()

    assert not failed.value.may_have_arrived
    await client.aclose()


async def test_a_server_that_speaks_no_tls_is_told() -> None:
    def speak_plainly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello\r\n")
        writer.close()

    async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as listening:
        url = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        client = MessengerClient(url, KEY, timeout_seconds=5)
        with pytest.raises(Unreachable, match="TLS") as failed:
            await client.health()
        await client.aclose()

    assert not failed.value.may_have_arrived


async def test_a_server_that_is_silent_is_given_up_and_a_wait_has_its_own_time_on_top(
    peer: WaitPeer,
) -> None:
    client = MessengerClient(peer.url, KEY, timeout_seconds=0.3, address="planner")
    loop = asyncio.get_running_loop()

    result = await client.wait(WaitQuery(timeout_seconds=0.6))
    begun = loop.time()
    with pytest.raises(Unreachable, match="did not answer in time"):
        await client.status()

    assert result.timed_out
    assert 0.3 <= loop.time() - begun < 3
    await client.aclose()


@pytest.mark.parametrize(
    "variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY", "all_proxy"]
)
async def test_loopback_is_never_asked_through_a_proxy(
    peer: WaitPeer, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    client = MessengerClient(peer.url, KEY, timeout_seconds=5)

    assert (await client.wait(WaitQuery(timeout_seconds=0))).timed_out
    await client.aclose()


def test_a_proxy_that_cannot_be_used_is_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://nowhere")

    with pytest.raises(SettingError, match="proxy"):
        MessengerClient("http://mail.example.org", KEY, timeout_seconds=5)


@pytest.mark.parametrize("address", ["a\r\nX-Other: y", "é", "a\x00", "a" * 400, "a\x7f"])
async def test_an_address_never_becomes_a_header_of_its_own(peer: WaitPeer, address: str) -> None:
    client = MessengerClient(peer.url, KEY, timeout_seconds=5, address=address)

    with pytest.raises(errors.AgentIdInvalid):
        await client.status()

    assert peer.asked == []
    await client.aclose()


@pytest.mark.parametrize(
    ("message_id", "target"),
    [
        ("../agents", "/api/messages/%2E%2E%2Fagents"),
        ("/", "/api/messages/%2F"),
        ("...", "/api/messages/%2E%2E%2E"),
        ("%2F", "/api/messages/%252F"),
        ("a?mark_read=false", "/api/messages/a%3Fmark_read%3Dfalse"),
        ("a#b c\r\n", "/api/messages/a%23b%20c%0D%0A"),
        ("é\ud800", "/api/messages/%C3%A9%3F"),
    ],
)
async def test_an_id_never_becomes_a_path_or_a_query(
    peer: WaitPeer, client: MessengerClient, message_id: str, target: str
) -> None:
    peer.answers = [problem(404, "message_not_found")]

    with pytest.raises(errors.MessageNotFound):
        await client.read_message(message_id, mark_read=True)

    assert peer.asked[0].target == target


NAMED: list[tuple[Callable[[MessengerClient, str], Awaitable[object]], type[MessengerError]]] = [
    (lambda client, name: client.mailbox(name), errors.MailboxNotFound),
    (lambda client, name: client.read_message(name, mark_read=True), errors.MessageNotFound),
    (lambda client, name: client.get_thread(name, ThreadReadQuery()), errors.ThreadNotFound),
    (
        lambda client, name: client.rename_thread(name, RenameThread(title="")),
        errors.ThreadNotFound,
    ),
    (fetch, errors.AttachmentNotFound),
    (lambda client, name: client.delete_folder(name), errors.FolderNotFound),
]


@pytest.mark.parametrize("name", ["", ".", "..", "a\0b"])
@pytest.mark.parametrize(("call", "refusal"), NAMED)
async def test_promise_8_what_no_path_can_hold_is_not_there(
    peer: WaitPeer,
    client: MessengerClient,
    name: str,
    call: Callable[[MessengerClient, str], Awaitable[object]],
    refusal: type[MessengerError],
) -> None:
    with pytest.raises(refusal):
        await call(client, name)

    assert peer.asked == []
