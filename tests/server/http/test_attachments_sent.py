"""POST /api/messages with files: two encodings, one message; what is refused, what is left."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.app import Agent, RunningApp
from support.files import (
    BOUNDARY,
    CONTENT_TYPE,
    DRAFT,
    File,
    attached,
    message_part,
    multipart,
    part,
    post_body,
    post_parts,
    send_in,
)

_MB: Final = 1_048_576
_ENCODINGS: Final = ("json", "multipart")


@pytest.fixture
async def alice(app: RunningApp) -> Agent:
    """Writes to bob, whose mailbox is there."""
    await app.agent("bob")
    return await app.agent("alice")


def _bob(app: RunningApp, alice: Agent) -> Agent:
    return app.stranger(alice.key, "bob")


async def _nothing_was_sent(alice: Agent) -> bool:
    total: int = (await alice.get("/api/messages", folder="sent")).json()["total"]
    return total == 0


@pytest.mark.parametrize("encoding", _ENCODINGS)
async def test_files_arrive_in_their_order_and_say_what_they_are(
    app: RunningApp, alice: Agent, encoding: str
) -> None:
    files = [
        File("notes.txt", b"one", "text/plain; charset=utf-8"),
        File("empty.bin", b""),
        File("日本語.png", bytes(range(256))),
    ]

    answer = await send_in(encoding, alice, files)

    assert answer.status_code == 201
    shown = answer.json()["attachments"]
    assert [
        (each["filename"], each["mime_type"], each["size"], each["sha256"]) for each in shown
    ] == [
        ("notes.txt", "text/plain; charset=utf-8", 3, files[0].sha256),
        ("empty.bin", "application/octet-stream", 0, files[1].sha256),
        ("日本語.png", "image/png", 256, files[2].sha256),
    ]
    assert len({each["id"] for each in shown}) == 3
    assert all(each["id"].startswith("att_") for each in shown)
    bob = _bob(app, alice)
    sent = answer.json()
    assert sent["has_attachments"]
    assert (await bob.get("/api/messages")).json()["messages"][0]["has_attachments"]
    assert (await bob.get(f"/api/messages/{sent['id']}")).json()["attachments"] == shown
    thread = (await bob.get(f"/api/threads/{sent['thread_id']}")).json()
    assert thread["messages"][0]["attachments"] == shown
    assert thread["thread"]["last_message"]["has_attachments"]


async def test_the_message_may_come_behind_its_files(alice: Agent) -> None:
    file = File("a.txt")

    answer = await post_parts(alice, file.as_part(), message_part())

    assert answer.status_code == 201
    assert answer.json()["attachments"][0]["sha256"] == file.sha256


async def test_a_multipart_body_without_files_is_a_message(alice: Agent) -> None:
    answer = await post_parts(alice, message_part())

    assert (answer.status_code, answer.json()["has_attachments"]) == (201, False)


@pytest.mark.parametrize("encoding", _ENCODINGS)
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a/b/c.txt", "c.txt"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("../../etc/passwd", "passwd"),
        ("C:\\dir/x.md", "x.md"),
        ('say "hi".txt', 'say "hi".txt'),
        ("two\r\nlines.txt", "two\r\nlines.txt"),
        ("x" * 255, "x" * 255),
        ("p/" + "語" * 255, "語" * 255),
    ],
)
async def test_a_name_loses_its_folders_and_nothing_else(
    alice: Agent, encoding: str, given: str, kept: str
) -> None:
    answer = await send_in(encoding, alice, [File(given)])

    assert answer.status_code == 201, answer.text
    assert answer.json()["attachments"][0]["filename"] == kept


@pytest.mark.parametrize(
    ("name", "mime_type"),
    [
        ("a.PDF", "application/pdf"),
        ("a.tar.gz", "application/gzip"),
        ("a.md", "text/markdown"),
        ("a", "application/octet-stream"),
        (".png", "application/octet-stream"),
        ("data:text/html,x", "application/octet-stream"),
    ],
)
async def test_a_missing_type_comes_from_the_extension(
    alice: Agent, name: str, mime_type: str
) -> None:
    for encoding in _ENCODINGS:
        answer = await send_in(encoding, alice, [File(name)])
        assert answer.json()["attachments"][0]["mime_type"] == mime_type


@pytest.mark.parametrize("encoding", _ENCODINGS)
@pytest.mark.parametrize(
    ("file", "field"),
    [
        (File("x" * 256), "attachments[1].filename"),
        (File("folder/"), "attachments[1].filename"),
        (File("a\0b"), "attachments[1].filename"),
        (File("a.txt", mime_type="nonsense"), "attachments[1].mime_type"),
        (File("a.txt", mime_type="text/" + "x" * 123), "attachments[1].mime_type"),
        (File("a.txt", mime_type="text/plain, text/html"), "attachments[1].mime_type"),
    ],
)
async def test_a_file_that_cannot_be_kept_is_named(
    alice: Agent, encoding: str, file: File, field: str
) -> None:
    answer = await send_in(encoding, alice, [File("good.txt"), file])

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] == field
    assert await _nothing_was_sent(alice)


@pytest.mark.parametrize(
    "text",
    ["%%%%", "YQ", "YQ=", "YQ==YQ==", "Y Q==", "YQ==\n", "=YQ=", "YQ==x", "ä", "_-8="],
)
async def test_bad_base64_is_refused_by_its_field(alice: Agent, text: str) -> None:
    given = [{"filename": "a", "content_base64": ""}, {"filename": "b", "content_base64": text}]

    answer = await alice.post("/api/messages", {**DRAFT, "attachments": given})

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] == "attachments[1].content_base64"
    assert await _nothing_was_sent(alice)


async def test_padding_within_a_long_text_is_refused_wherever_it_stands(alice: Agent) -> None:
    for before in (262_140, 262_136):
        text = "A" * before + "AA==" + "AAAA" * 3
        given = [{"filename": "a", "content_base64": text}]

        answer = await alice.post("/api/messages", {**DRAFT, "attachments": given})

        assert answer.status_code == 400


async def test_unknown_and_missing_fields_of_a_file(alice: Agent) -> None:
    for file in (
        {"filename": "a", "content_base64": "", "path": "/etc/passwd"},
        {"filename": "a"},
        {"content_base64": ""},
        {"filename": "", "content_base64": ""},
        {"filename": "a\0b", "content_base64": ""},
    ):
        answer = await alice.post("/api/messages", {**DRAFT, "attachments": [file]})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@pytest.mark.parametrize("encoding", _ENCODINGS)
async def test_ten_files_pass_and_eleven_do_not(alice: Agent, encoding: str) -> None:
    files = [File(f"{number}.txt", b"x" * number) for number in range(11)]

    eleven = await send_in(encoding, alice, files)
    assert (eleven.status_code, eleven.json()["code"]) == (413, "too_many_attachments")
    assert await _nothing_was_sent(alice)

    ten = await send_in(encoding, alice, files[:10])
    assert [each["size"] for each in ten.json()["attachments"]] == list(range(10))


@pytest.mark.parametrize("encoding", _ENCODINGS)
async def test_a_file_of_10_mb_passes_and_a_byte_more_does_not(alice: Agent, encoding: str) -> None:
    just = File("just.bin", os.urandom(10 * _MB))

    beyond = await send_in(encoding, alice, [File("beyond.bin", just.content + b"x")])
    assert (beyond.status_code, beyond.json()["code"]) == (413, "attachment_too_large")
    assert "beyond.bin" in beyond.json()["detail"]
    assert await _nothing_was_sent(alice)

    answer = await send_in(encoding, alice, [just])
    assert answer.json()["attachments"][0]["sha256"] == just.sha256
    path = f"/api/attachments/{answer.json()['attachments'][0]['id']}"
    assert (await alice.get(path)).content == just.content


@pytest.mark.parametrize("encoding", _ENCODINGS)
async def test_25_mb_together_pass_and_a_byte_more_does_not(alice: Agent, encoding: str) -> None:
    files = [File("a", b"a" * 10 * _MB), File("b", b"b" * 10 * _MB), File("c", b"c" * 5 * _MB)]

    beyond = await send_in(encoding, alice, [*files, File("d", b"d")])
    assert (beyond.status_code, beyond.json()["code"]) == (413, "attachment_too_large")
    assert "25 MB" in beyond.json()["detail"]

    answer = await send_in(encoding, alice, files)
    assert [each["sha256"] for each in answer.json()["attachments"]] == [
        file.sha256 for file in files
    ]


class _Endless:
    """A body that goes on for ever, and counts what was read of it."""

    def __init__(self, beginning: bytes) -> None:
        self._beginning = beginning
        self.read = 0

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._beginning
        while True:
            self.read += 65_536
            yield b"x" * 65_536


@pytest.mark.parametrize(
    ("beginning", "limit", "code"),
    [
        (message_part() + File("a").as_part()[:-2], 10 * _MB, "attachment_too_large"),
        (b"--" + BOUNDARY.encode() + b"--\r\n", 40 * _MB, "body_too_large"),
        (part('name="message"', b"")[:-2], 4 * _MB, "body_too_large"),
    ],
)
async def test_an_endless_body_is_left_at_its_limit(
    alice: Agent, beginning: bytes, limit: int, code: str
) -> None:
    body = _Endless(beginning)

    answer = await post_body(alice, body.chunks())

    assert (answer.status_code, answer.json()["code"]) == (413, code)
    assert body.read <= limit + 2 * 65_536


async def test_a_declared_length_is_refused_before_anything_is_read(alice: Agent) -> None:
    body = _Endless(message_part())

    answer = await post_body(alice, body.chunks(), {"Content-Length": str(40 * _MB + 1)})

    assert (answer.status_code, answer.json()["code"], body.read) == (413, "body_too_large", 0)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (multipart(), "message"),
        (multipart(File("a").as_part()), "message"),
        (multipart(message_part(), message_part()), "message"),
        (multipart(message_part(), part('name="subject"', b"s")), "subject"),
        (multipart(message_part(), part("", b"s")), "part"),
        (multipart(message_part({**DRAFT, "attachments": [File("a").as_json()]})), "attachments"),
        (multipart(message_part({**DRAFT, "nonsense": 1})), "nonsense"),
        (
            multipart(
                message_part(),
                part('name="f"; filename="a"', b"YQ==", "Content-Transfer-Encoding: base64\r\n"),
            ),
            "attachments[0]",
        ),
        (multipart(message_part())[:-10], "body"),
        (multipart(message_part(), File("a").as_part())[:-40], "body"),
        (b"", "body"),
        (b"{}", "body"),
        (multipart(message_part()).replace(b"\r\n", b"\n"), "body"),
        (multipart(part('name="message"', b"{}", "X" * 5000 + "\r\n")), "body"),
        (multipart(part('name="message"', b"{}", "X: 1\r\n" * 20)), "body"),
        (multipart(message_part(), File("a").as_part().replace(b'"a"', b'"\xff"')), "body"),
    ],
)
async def test_a_body_that_is_no_send_is_refused_in_words(
    alice: Agent, body: bytes, field: str
) -> None:
    answer = await post_body(alice, body)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request"), answer.text
    assert answer.json()["errors"][0]["field"] == field
    assert await _nothing_was_sent(alice)


async def test_a_message_part_that_is_no_json(alice: Agent) -> None:
    answer = await post_parts(alice, part('name="message"', b"{"))

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_json")


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        f"multipart/form-data; boundary={'x' * 71}",
    ],
)
async def test_a_multipart_body_needs_a_boundary(alice: Agent, content_type: str) -> None:
    answer = await post_body(alice, multipart(message_part()), {"Content-Type": content_type})

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] == "Content-Type"


async def test_other_multiparts_are_no_send(alice: Agent) -> None:
    other = CONTENT_TYPE.replace("form-data", "mixed")

    answer = await post_body(alice, multipart(message_part()), {"Content-Type": other})

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


async def test_a_boundary_is_found_wherever_the_body_is_cut(alice: Agent) -> None:
    tricky = b"\r\n--" + BOUNDARY.encode()[:-1] + b"\r\n-\r\r\n--the"
    file = File("a", tricky * 3)
    body = multipart(message_part(), file.as_part(), File("b", tricky).as_part())

    async def bytes_alone() -> AsyncIterator[bytes]:
        for at in range(len(body)):
            yield body[at : at + 1]

    answer = await post_body(alice, bytes_alone())

    assert [each["sha256"] for each in answer.json()["attachments"]] == [
        file.sha256,
        File("b", tricky).sha256,
    ]


def _key(value: str) -> dict[str, str]:
    return {"Idempotency-Key": value}


@pytest.mark.parametrize("size", [7, 2 * _MB])
async def test_a_repetition_is_known_whichever_encoding_carries_it(alice: Agent, size: int) -> None:
    files = [File("dir/a.txt", b"x" * size), File("b.bin", b"")]
    named_alike = [File("a.txt", b"x" * size, "text/plain"), File("b.bin", b"")]

    first = await send_in("json", alice, files, _key("k"))
    again = await send_in("multipart", alice, files, _key("k"))
    alike = await send_in("multipart", alice, named_alike, _key("k"))

    assert (first.status_code, again.status_code, alike.status_code) == (201, 200, 200)
    assert first.json() == again.json() == alike.json()
    assert (await alice.get("/api/messages", folder="sent")).json()["total"] == 1


@pytest.mark.parametrize(
    "files",
    [
        [],
        [File("a.txt", b"other")],
        [File("b.txt", b"content")],
        [File("a.txt", b"content", "text/html")],
        [File("a.txt"), File("a.txt")],
    ],
)
async def test_the_same_key_with_other_files_is_a_conflict(alice: Agent, files: list[File]) -> None:
    await send_in("json", alice, [File("a.txt")], _key("k"))

    for encoding in _ENCODINGS:
        answer = await send_in(encoding, alice, files, _key("k"))
        assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")


async def test_a_large_send_that_is_refused_leaves_the_others_alone(
    app: RunningApp, alice: Agent
) -> None:
    large = [File("large", b"x" * 2 * _MB)]
    draft = {"to": "box_0123456789abcdef", "subject": "s", "body": "b"}

    refused, *sent = await asyncio.gather(
        post_parts(alice, message_part(draft), large[0].as_part()),
        *(send_in("multipart", alice, large) for _ in range(3)),
        *(alice.post("/api/messages", DRAFT) for _ in range(5)),
    )

    assert (refused.status_code, refused.json()["code"]) == (404, "mailbox_not_found")
    assert {answer.status_code for answer in sent} == {201}
    assert (await _bob(app, alice).get("/api/messages")).json()["total"] == 8


async def test_a_key_that_only_reads_is_refused_before_its_files_are_read(
    app: RunningApp, alice: Agent
) -> None:
    reader = await app.agent("reader", key=await app.create_key("r", can_send=False))
    body = _Endless(message_part())

    answer = await post_body(reader, body.chunks())

    assert (answer.status_code, answer.json()["code"], body.read) == (403, "send_not_allowed", 0)


_names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0/\\%"), min_size=1, max_size=255
)
_files = st.lists(
    st.builds(File, _names, st.binary(max_size=3000), st.none()), min_size=1, max_size=3
)


@given(files=_files, encoding=st.sampled_from(_ENCODINGS))
@settings(
    max_examples=60,
    deadline=None,
    # One application serves all examples: they share nothing but the mailboxes.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_any_name_and_any_bytes_come_back_as_they_were(
    app: RunningApp, alice: Agent, files: list[File], encoding: str
) -> None:
    answer = await send_in(encoding, alice, files)

    assert answer.status_code == 201, answer.text
    shown: list[dict[str, Any]] = answer.json()["attachments"]
    assert [(each["filename"], each["sha256"]) for each in shown] == [
        (file.filename, file.sha256) for file in files
    ]
    for each, file in zip(shown, files, strict=True):
        assert (await alice.get(f"/api/attachments/{each['id']}")).content == file.content


async def test_nothing_of_a_send_stays_beside_the_database(alice: Agent, tmp_path: Path) -> None:
    await attached(alice, File("large", b"x" * 3 * _MB))
    await post_body(alice, multipart(message_part(), File("a", b"x" * 3 * _MB).as_part())[:-10])

    assert {name.partition("-")[0] for name in os.listdir(tmp_path)} == {"messenger.db"}
