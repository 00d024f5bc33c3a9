"""Mailboxes of the real API as the load needs them, and the requests that they repeat."""

import itertools
from collections.abc import Sequence
from typing import Final

import msgspec

from tools.bench.client import Connection, expect, get, post
from tools.bench.load import NextRequest
from tools.bench.texts import Writer

_BODY_CHARS: Final = 1000
_DRAFTS: Final = 64
"""Different texts that one client sends in turn."""

_numbers = itertools.count(1)


class Mailer:
    """One mailbox with the key that opens it."""

    def __init__(self, key: str, address: str) -> None:
        self.address = address
        self._headers = {"Authorization": f"Bearer {key}", "X-Agent-Id": address}

    async def register(self, connection: Connection) -> None:
        """Registers the mailbox; one that is there already stays as it is.

        Raises:
            BenchFailure: the server refused.
        """
        request = post("/api/agents/register", self._headers, b'{"agent_name":"bench"}')
        answer = await connection.ask(request)
        if answer.status != 200:
            expect(answer, 201, "register")

    def gets(self, path: str) -> NextRequest:
        """A client that asks for the same path again and again."""
        request = self.get(path)
        return lambda: request

    def get(self, path: str) -> bytes:
        """One GET in the name of this mailbox."""
        return get(path, self._headers)

    def sends(self, to: str) -> NextRequest:
        """A client that sends messages of 1 kB, each with an Idempotency-Key of its own."""
        writer = Writer(seed=len(self.address))
        drafts = itertools.cycle(
            [self._draft(to, writer.subject(), writer.body(_BODY_CHARS)) for _ in range(_DRAFTS)]
        )
        return lambda: next(drafts).replace(_NUMBER_PLACE, b"%016d" % next(_numbers), 1)

    def send(self, to: str, subject: str, body: str) -> bytes:
        """One send, with an Idempotency-Key of its own."""
        return self._draft(to, subject, body).replace(_NUMBER_PLACE, b"%016d" % next(_numbers), 1)

    def _draft(self, to: str, subject: str, body: str) -> bytes:
        draft = msgspec.json.encode({"to": to, "subject": subject, "body": body})
        headers = {"Idempotency-Key": _NUMBER_PLACE.decode(), **self._headers}
        return post("/api/messages", headers, draft)


_NUMBER_PLACE: Final = b"n" * 16
"""Where a request is given its number: the first header, so that it is found at once."""


def ring(mailers: Sequence[Mailer]) -> list[NextRequest]:
    """One sending client for each mailbox, each writing to the next one."""
    return [
        sender.sends(recipient.address)
        for sender, recipient in zip(mailers, [*mailers[1:], mailers[0]], strict=True)
    ]
