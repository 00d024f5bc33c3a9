"""A process that sends files with our client: once to warm up, then once for each line it reads.

It says `ready` when it is about to send and `sent` when the answer is there.
"""

import asyncio
import hashlib
import io
import sys
from collections.abc import Sequence

from messenger_core.wire.messages import SendMessage
from messenger_mcp.api_client import MessengerClient

_SMALL_BYTES = 600_000
"""Of the first send: enough to go through everything that a large one goes through."""


class MemoryFile:
    """A file of the same bytes again and again, which no disk slows down."""

    mime_type = "application/octet-stream"

    def __init__(self, filename: str, size_bytes: int) -> None:
        self.filename = filename
        self.size_bytes = size_bytes
        self._content = filename.encode()[:1] * size_bytes
        self.sha256 = hashlib.sha256(self._content).hexdigest()

    def open(self) -> io.BytesIO:
        """The bytes from the first one on."""
        return io.BytesIO(self._content)


def main(arguments: Sequence[str]) -> None:
    """Sends; arguments: URL, key, sender, recipient, and the size of each file in bytes."""
    url, key, sender, recipient, *sizes = arguments
    asyncio.run(
        _send(
            MessengerClient(url, key, timeout_seconds=60, address=sender),
            recipient,
            [MemoryFile(f"{number}.bin", int(size)) for number, size in enumerate(sizes)],
        )
    )


async def _send(client: MessengerClient, recipient: str, files: list[MemoryFile]) -> None:
    draft = SendMessage(to=recipient, subject="files", body="see inside")
    await client.send(draft, None, [MemoryFile("small", _SMALL_BYTES)])
    while True:
        print("ready", flush=True)
        if not await asyncio.to_thread(sys.stdin.readline):
            break
        await client.send(draft, None, files)
        print("sent", flush=True)
    await client.aclose()


if __name__ == "__main__":
    main(sys.argv[1:])
