"""Files that tests send with messages: as JSON, as multipart bodies, and what is said of them."""

import hashlib
from base64 import b64encode
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, NamedTuple

import httpx2
import msgspec

from support.app import Agent

BOUNDARY: Final = "the-boundary-of-this-test"
CONTENT_TYPE: Final = f"multipart/form-data; boundary={BOUNDARY}"
DRAFT: Final = {"to": "bob", "subject": "files", "body": "see inside"}


class File(NamedTuple):
    """A file as its sender names it."""

    filename: str
    content: bytes = b"content"
    mime_type: str | None = None

    @property
    def sha256(self) -> str:
        """Of its content."""
        return hashlib.sha256(self.content).hexdigest()

    def as_json(self) -> dict[str, str]:
        """The file inside a JSON send."""
        typed = {} if self.mime_type is None else {"mime_type": self.mime_type}
        encoded = b64encode(self.content).decode()
        return {"filename": self.filename, "content_base64": encoded, **typed}

    def as_part(self) -> bytes:
        """The file as a part of a multipart body, its name as browsers write it."""
        name = self.filename.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        typed = "" if self.mime_type is None else f"Content-Type: {self.mime_type}\r\n"
        return part(f'name="file"; filename="{name}"', self.content, typed)


def part(named: str, content: bytes, headers: str = "") -> bytes:
    """One part of a multipart body."""
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; {named}\r\n{headers}\r\n"
    return head.encode() + content + b"\r\n"


def message_part(draft: object = DRAFT) -> bytes:
    """The part that holds the message."""
    return part('name="message"', msgspec.json.encode(draft), "Content-Type: application/json\r\n")


def multipart(*parts: bytes) -> bytes:
    """A whole multipart body."""
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


async def post_parts(
    agent: Agent, *parts: bytes, headers: dict[str, str] | None = None
) -> httpx2.Response:
    """A send of these parts."""
    return await post_body(agent, multipart(*parts), headers)


async def post_body(
    agent: Agent, body: bytes | AsyncIterator[bytes], headers: dict[str, str] | None = None
) -> httpx2.Response:
    """A send with this multipart body, whatever it is."""
    return await agent.ask(
        "POST",
        "/api/messages",
        content=body,
        headers={"Content-Type": CONTENT_TYPE, **(headers or {})},
    )


async def send_in(
    encoding: str, agent: Agent, files: Sequence[File], headers: dict[str, str] | None = None
) -> httpx2.Response:
    """A send of the usual draft with files, as `json` or `multipart`."""
    if encoding == "multipart":
        parts = [file.as_part() for file in files]
        return await post_parts(agent, message_part(), *parts, headers=headers)
    draft = {**DRAFT, "attachments": [file.as_json() for file in files]}
    return await agent.ask("POST", "/api/messages", json=draft, headers=headers)


async def attached(agent: Agent, *files: File) -> list[dict[str, Any]]:
    """Sends files to bob; what the answer says of them.

    Raises:
        AssertionError: they were refused.
    """
    answer = await send_in("multipart", agent, files)
    assert answer.status_code == 201, answer.text
    found: list[dict[str, Any]] = answer.json()["attachments"]
    return found
