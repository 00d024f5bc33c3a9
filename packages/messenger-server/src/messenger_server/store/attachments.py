"""Attachments: the files of messages, written with a send and read piece by piece.

A file's bytes stand in rows of 256 kB. No more than one of them is in memory at a time, on the way
in and on the way out.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, insert, select

from messenger_core.echo import echoed
from messenger_core.errors import AttachmentNotFound
from messenger_core.ids import new_attachment_id
from messenger_core.limits import ATTACHMENT_CHUNK_BYTES
from messenger_core.schema import attachment, attachment_chunk, delivery
from messenger_core.wire.messages import Attachment
from messenger_server.database import Batch, Bulk, Lookup


class StagedFile(NamedTuple):
    """A file that came with a send and waits for the writer."""

    filename: str
    """Without folders."""
    mime_type: str
    size_bytes: int
    sha256: str
    read: Callable[[int, int], bytes]
    """`read(offset, size)`: its bytes from there on, exactly so many; asked in the writer's thread.
    """

    def pieces(self) -> Iterator[bytes]:
        """Its bytes, 256 kB at a time."""
        for offset in range(0, self.size_bytes, ATTACHMENT_CHUNK_BYTES):
            yield self.read(offset, min(ATTACHMENT_CHUNK_BYTES, self.size_bytes - offset))


class NewAttachment(NamedTuple):
    """A file of an accepted message."""

    shown: Attachment
    file: StagedFile


class StoredAttachment(NamedTuple):
    """A file of a message; the columns of `_FIND`, in their order."""

    id: int
    """The internal number."""
    filename: str
    mime_type: str
    size_bytes: int
    sha256: str


_FIND: Final = Lookup(
    StoredAttachment._make,
    select(
        attachment.c.id,
        attachment.c.filename,
        attachment.c.mime_type,
        attachment.c.size_bytes,
        attachment.c.sha256,
    )
    .select_from(attachment.join(delivery, delivery.c.seq == attachment.c.seq))
    .where(attachment.c.public_id == bindparam("id"), delivery.c.mailbox_id == bindparam("of")),
    "of",
    "id",
)
_CHUNK: Final = Lookup(
    lambda columns: bytes(columns[0]),
    select(attachment_chunk.c.content).where(
        attachment_chunk.c.attachment_id == bindparam("of"),
        attachment_chunk.c.number == bindparam("at"),
    ),
    "of",
    "at",
)
_NEW_ATTACHMENT: Final = insert(attachment)
_NEW_CHUNKS: Final = Bulk(insert(attachment_chunk), "attachment_id", "number", "content")


def accepted(files: Sequence[StagedFile]) -> tuple[NewAttachment, ...]:
    """The files of a message that is accepted, each under a new identifier."""
    return tuple(
        NewAttachment(
            Attachment(
                id=new_attachment_id(),
                filename=file.filename,
                mime_type=file.mime_type,
                size=file.size_bytes,
                sha256=file.sha256,
            ),
            file,
        )
        for file in files
    )


def write_attachments(batch: Batch, seq: int, attachments: Sequence[NewAttachment]) -> None:
    """Writes the files of a message, whose row must be there."""
    for position, (shown, file) in enumerate(attachments):
        row = {
            "public_id": shown.id,
            "seq": seq,
            "position": position,
            "filename": shown.filename,
            "mime_type": shown.mime_type,
            "size_bytes": shown.size,
            "sha256": shown.sha256,
        }
        inserted = batch.connection.execute(_NEW_ATTACHMENT, row).inserted_primary_key
        assert inserted is not None
        for number, piece in enumerate(file.pieces()):
            _NEW_CHUNKS.write(batch.connection, [(int(inserted[0]), number, piece)])


def find_attachment(
    connection: Connection, mailbox_id: int, attachment_id: str
) -> StoredAttachment:
    """A file of a message that the mailbox has a copy of.

    Raises:
        AttachmentNotFound: there is none, or the mailbox has no copy of its message.
    """
    found = _FIND.first(connection, mailbox_id, attachment_id)
    if found is None:
        raise AttachmentNotFound(f"There is no attachment {echoed(attachment_id)} in this mailbox.")
    return found


def read_chunk(connection: Connection, attachment_id: int, number: int) -> bytes | None:
    """A piece of a file, 256 kB but for the last one; `None`: the file is gone meanwhile."""
    return _CHUNK.first(connection, attachment_id, number)
