"""How large a body may be, and that nobody's is read before they are known."""

from collections.abc import AsyncIterator
from typing import Final

import pytest

from support.app import RunningApp

_MB: Final = 1_048_576


class Body:
    """A body without a length, which counts how much of it was read."""

    def __init__(self, size: int, beginning: bytes = b"") -> None:
        self._size = size
        self._beginning = beginning
        self.read = 0

    async def chunks(self) -> AsyncIterator[bytes]:
        """Spaces behind the beginning: JSON allows them anywhere."""
        yield self._beginning
        self.read = len(self._beginning)
        while self.read < self._size:
            chunk = b" " * min(65_536, self._size - self.read)
            self.read += len(chunk)
            yield chunk


@pytest.mark.parametrize(
    ("method", "path", "limit_mb"),
    [
        ("POST", "/api/agents/register", 2),
        ("PATCH", "/api/agents/me", 2),
        ("PATCH", "/api/threads/thr_0123456789", 2),
        ("POST", "/api/messages", 40),
    ],
)
async def test_a_body_over_the_limit_is_refused_with_and_without_a_length(
    app: RunningApp, method: str, path: str, limit_mb: int
) -> None:
    alice = await app.agent("alice")
    limit = limit_mb * _MB
    chunked = Body(4 * limit)

    with_length = await alice.ask(method, path, content=b" " * (limit + 1))
    without = await alice.ask(method, path, content=chunked.chunks())

    for answer in (with_length, without):
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
        assert f"{limit_mb} MB" in answer.json()["detail"]
    assert chunked.read <= limit + 65_536


async def test_a_body_of_just_the_limit_is_read(app: RunningApp) -> None:
    alice = await app.agent("alice")
    beginning = b'{"display_name": "x"}'

    whole = await alice.ask(
        "PATCH", "/api/agents/me", content=beginning + b" " * (2 * _MB - len(beginning))
    )
    chunked = await alice.ask("PATCH", "/api/agents/me", content=Body(2 * _MB, beginning).chunks())

    assert (whole.status_code, chunked.status_code) == (200, 200)


async def test_the_longest_message_passes(app: RunningApp) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")

    sent = await alice.send(bob, "語" * 256_000)

    assert (await bob.get(f"/api/messages/{sent['id']}")).json()["body"] == "語" * 256_000
    too_long = await alice.post("/api/messages", {"to": "bob", "body": "語" * 256_001})
    assert too_long.status_code == 400


async def test_nothing_is_read_of_a_body_whose_sender_is_not_known(app: RunningApp) -> None:
    alice = await app.agent("alice")
    for caller in (app.stranger("mk_nobody", "alice"), app.stranger(alice.key, "nobody")):
        body = Body(40 * _MB)

        answer = await caller.ask("POST", "/api/messages", content=body.chunks())

        assert answer.status_code in {401, 404}
        assert body.read == 0
