"""GET /api/attachments/:id: the bytes, what their headers say, ranges, and who gets them."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_server.api.attachments import disposition
from support.app import Agent, RunningApp, running_app
from support.files import File, attached

_CONTENT: Final = bytes(range(256)) * 2400
"""600 kB: three rows of the base."""
_SIZE: Final = len(_CONTENT)


@pytest.fixture
async def alice(app: RunningApp) -> Agent:
    """Writes to bob, whose mailbox is there."""
    await app.agent("bob")
    return await app.agent("alice")


@pytest.fixture
async def path(alice: Agent) -> str:
    """Where a file of three rows is."""
    (file,) = await attached(alice, File("data.bin", _CONTENT))
    return f"/api/attachments/{file['id']}"


async def test_the_bytes_come_with_what_they_are(alice: Agent) -> None:
    file = File("notes.txt", b"hello", "text/plain; charset=utf-8")
    (shown,) = await attached(alice, file)

    answer = await alice.get(f"/api/attachments/{shown['id']}")

    assert (answer.status_code, answer.content) == (200, b"hello")
    headers = answer.headers
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert headers["Content-Length"] == "5"
    assert headers["Content-Disposition"] == 'attachment; filename="notes.txt"'
    assert headers["ETag"] == f'"{file.sha256}"'
    assert headers["Accept-Ranges"] == "bytes"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


async def test_both_mailboxes_get_it_while_they_have_their_copies(
    app: RunningApp, alice: Agent
) -> None:
    bob = app.stranger(alice.key, "bob")
    eve = await app.agent("eve", key=alice.key)
    (file,) = await attached(alice, File("a"))
    path = f"/api/attachments/{file['id']}"
    (copy,) = (await bob.get("/api/messages")).json()["messages"]
    for_good = {"ids": [copy["id"]], "permanent": True}

    assert (await alice.get(path)).status_code == (await bob.get(path)).status_code == 200
    not_hers = await eve.get(path)
    assert (not_hers.status_code, not_hers.json()["code"]) == (404, "attachment_not_found")

    await bob.post("/api/messages/delete", for_good)
    gone = await bob.get(path)
    assert (gone.status_code, gone.json()) == (404, not_hers.json())
    assert (await alice.get(path)).status_code == 200

    await alice.post("/api/messages/delete", for_good)
    assert (await alice.get(path)).json() == not_hers.json()


@pytest.mark.parametrize(
    ("asked", "begin", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, _SIZE),
        ("bytes=262143-262144", 262_143, 262_145),
        ("bytes=100-599999", 100, 600_000),
        ("bytes=262144-524287", 262_144, 524_288),
        ("BYTES=-1", _SIZE - 1, _SIZE),
        ("bytes=-999999999", 0, _SIZE),
        (f"bytes={_SIZE - 5}-{10**30}", _SIZE - 5, _SIZE),
    ],
)
async def test_a_range_gives_that_part(
    alice: Agent, path: str, asked: str, begin: int, end: int
) -> None:
    answer = await alice.ask("GET", path, headers={"Range": asked})

    assert answer.status_code == 206
    assert answer.content == _CONTENT[begin:end]
    assert answer.headers["Content-Range"] == f"bytes {begin}-{end - 1}/{_SIZE}"
    assert answer.headers["Content-Length"] == str(end - begin)
    assert answer.headers["ETag"] == (await alice.get(path)).headers["ETag"]


@pytest.mark.parametrize("asked", [f"bytes={_SIZE}-", f"bytes={10**40}-", "bytes=-0"])
async def test_a_range_beyond_the_end_says_how_long_the_file_is(
    alice: Agent, path: str, asked: str
) -> None:
    answer = await alice.ask("GET", path, headers={"Range": asked})

    assert (answer.status_code, answer.json()["code"]) == (416, "range_not_satisfiable")
    assert answer.headers["Content-Range"] == f"bytes */{_SIZE}"


@pytest.mark.parametrize(
    "asked", ["bytes=0-1,5-6", "bytes=5-1", "bytes=-", "bytes=a-b", "lines=1-2", "bytes 0-1", ""]
)
async def test_what_is_no_single_range_gives_all(alice: Agent, path: str, asked: str) -> None:
    answer = await alice.ask("GET", path, headers={"Range": asked})

    assert (answer.status_code, len(answer.content)) == (200, _SIZE)


async def test_a_range_of_other_content_gives_all(alice: Agent, path: str) -> None:
    etag = (await alice.get(path)).headers["ETag"]
    part = {"Range": "bytes=0-9"}

    for if_range, status in (
        (etag, 206),
        ('"other"', 200),
        (f"W/{etag}", 200),
        ("Tue, 01 Dec 2026 00:00:00 GMT", 200),
    ):
        answer = await alice.ask("GET", path, headers={**part, "If-Range": if_range})
        assert answer.status_code == status


async def test_who_has_it_already_gets_nothing(alice: Agent, path: str) -> None:
    etag = (await alice.get(path)).headers["ETag"]

    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        answer = await alice.ask(
            "GET", path, headers={"If-None-Match": known, "Range": "bytes=0-9"}
        )
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["ETag"] == etag
    other = await alice.ask("GET", path, headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


async def test_what_a_client_has_already_costs_no_quota(tmp_path: Path) -> None:
    async with running_app(tmp_path, rate_limit_max=4) as app:
        await app.agent("bob")
        alice = await app.agent("alice")
        (file,) = await attached(alice, File("a"))
        path = f"/api/attachments/{file['id']}"
        etag = (await alice.get(path)).headers["ETag"]

        known = [await alice.ask("GET", path, headers={"If-None-Match": etag}) for _ in range(9)]

        assert {answer.status_code for answer in known} == {304}
        statuses = [(await alice.get(path)).status_code for _ in range(5)]
    assert statuses[-1] == 429


async def test_an_empty_file_has_no_part(alice: Agent) -> None:
    (file,) = await attached(alice, File("empty", b""))
    path = f"/api/attachments/{file['id']}"

    answer = await alice.get(path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Content-Length"] == "0"
    for asked in ("bytes=0-", "bytes=-1"):
        part = await alice.ask("GET", path, headers={"Range": asked})
        assert part.headers["Content-Range"] == "bytes */0"


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("plain name.txt", 'attachment; filename="plain name.txt"'),
        ('a"b.txt', "attachment; filename=\"a_b.txt\"; filename*=UTF-8''a%22b.txt"),
        ("a%41.txt", "attachment; filename=\"a_41.txt\"; filename*=UTF-8''a%2541.txt"),
        (
            "x\r\nSet-Cookie: a=b",
            'attachment; filename="x__Set-Cookie: a=b"; '
            "filename*=UTF-8''x%0D%0ASet-Cookie%3A%20a%3Db",
        ),
        ("né.txt", "attachment; filename=\"n_.txt\"; filename*=UTF-8''n%C3%A9.txt"),
    ],
)
async def test_a_hostile_name_stays_inside_its_header(alice: Agent, name: str, header: str) -> None:
    (file,) = await attached(alice, File(name))

    answer = await alice.get(f"/api/attachments/{file['id']}")

    assert answer.headers["Content-Disposition"] == header
    assert "set-cookie" not in answer.headers


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=255))
def test_every_name_can_be_read_out_of_its_header(name: str) -> None:
    header = disposition(name).decode("ascii")

    assert header.isprintable()
    parts = re.fullmatch(
        r'attachment; filename="([^"\\]*)"(?:; filename\*=UTF-8\'\'(\S+))?', header
    )
    assert parts is not None
    assert (parts[1] if parts[2] is None else unquote(parts[2], errors="strict")) == name
