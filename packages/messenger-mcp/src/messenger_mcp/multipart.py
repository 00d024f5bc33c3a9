"""A message with files as one `multipart/form-data` body, streamed from where the files are.

The body's length is known before its first byte, so that a server refuses what is too large at
once. Its last line goes out only after every file was read to its end as it had been promised: what
breaks off earlier is no whole body, and nothing of it is accepted.
"""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from anyio import to_thread

from messenger_core.limits import ATTACHMENT_CHUNK_BYTES
from messenger_core.mail import AttachmentSource


class MultipartBody:
    """The part `message`, then a file part for each source, in their order."""

    def __init__(self, message: bytes, sources: Sequence[AttachmentSource]) -> None:
        """A body; no file is opened yet.

        Args:
            message: the message as JSON, without attachments.
            sources: the files.
        """
        # 128 random bits: no file holds them by chance.
        self._boundary = f"messenger-{secrets.token_hex(16)}"
        self._sources = [
            (self._file_head(number, source), source) for number, source in enumerate(sources)
        ]
        self._message = self._part('name="message"', "application/json") + message
        self._end = f"\r\n--{self._boundary}--\r\n".encode()
        self.content_type = f"multipart/form-data; boundary={self._boundary}"
        self.length_bytes = (
            len(self._message)
            + sum(len(head) + source.size_bytes for head, source in self._sources)
            + len(self._end)
        )

    async def chunks(self) -> AsyncIterator[bytes]:
        """The bytes, in pieces of at most 256 kB; each call reads the files anew.

        Raises what a source raises when it cannot be read or is not what it was.
        """
        yield self._message
        for head, source in self._sources:
            yield head
            async with aclosing(_content(source)) as pieces:
                async for piece in pieces:
                    yield piece
        yield self._end

    def _file_head(self, number: int, source: AttachmentSource) -> bytes:
        named = f'name="file{number}"; filename="{_quoted(source.filename)}"'
        return b"\r\n" + self._part(named, source.mime_type)

    def _part(self, disposition: str, content_type: str | None) -> bytes:
        typed = f"Content-Type: {content_type}\r\n" if content_type is not None else ""
        return (
            f"--{self._boundary}\r\nContent-Disposition: form-data; {disposition}\r\n{typed}\r\n"
        ).encode()


async def _content(source: AttachmentSource) -> AsyncGenerator[bytes]:
    """A file's bytes; the loop is free while the disk works.

    A call that is cancelled waits for its thread: the file is not closed under it.
    """
    file = await to_thread.run_sync(source.open)
    try:
        while piece := await to_thread.run_sync(file.read, ATTACHMENT_CHUNK_BYTES):
            yield piece
    finally:
        file.close()


def _quoted(name: str) -> str:
    # As browsers write it: the quotation mark and line ends alone would end the header.
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
