"""Staging: where the files of a send lie between the network and the writer.

All of one send share an unnamed temporary file beside the database, readable by nobody else and
gone with the request; while they are small together, they stay in memory. Disk and digests are
worked in a thread, 256 kB at a time: neither memory nor the loop feels how large the files are.
"""

import asyncio
import contextlib
import errno
import hashlib
import logging
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Final

from messenger_core.errors import AttachmentTooLarge, Busy, TooManyAttachments
from messenger_core.limits import (
    ATTACHMENT_CHUNK_BYTES,
    ATTACHMENT_MAX_BYTES,
    ATTACHMENTS_MAX_BYTES,
    ATTACHMENTS_MAX_COUNT,
    MEGABYTE,
)
from messenger_server.api.file_facts import file_name, file_type
from messenger_server.store.attachments import StagedFile

_log = logging.getLogger(__name__)

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_NO_ROOM_SECONDS: Final = 30


class _Growing:
    """A file while it comes."""

    __slots__ = ("begin", "digest", "filename", "mime_type", "size_bytes")

    def __init__(self, filename: str, mime_type: str, begin: int) -> None:
        self.filename = filename
        self.mime_type = mime_type
        self.begin = begin
        """Where it begins among the bytes of all."""
        self.digest = hashlib.sha256()
        self.size_bytes = 0


class Staging:
    """The files of one send: `begin` each, `write` its bytes, `finish` them all, then `close`."""

    def __init__(self, folder: Path) -> None:
        """Nothing yet.

        Args:
            folder: on the database's file system, so that a full disk is met before the writer is.
        """
        self._folder = folder
        self._files: list[_Growing] = []
        self._size_bytes = 0
        self._held: list[tuple[_Growing, bytes]] = []
        """What is not in the spool yet."""
        self._held_bytes = 0
        self._spool: tempfile.SpooledTemporaryFile[bytes] | None = None
        self._is_closed = False
        # Whoever closes waits for the thread that writes or reads.
        self._lock = threading.Lock()

    def begin(self, filename: str, mime_type: str | None) -> str:
        """Begins the next file; gives its place, as a refusal names it.

        Raises:
            TooManyAttachments: it is one too many.
            InvalidRequest: its name or type cannot be kept.
        """
        if len(self._files) == ATTACHMENTS_MAX_COUNT:
            raise TooManyAttachments
        place = f"attachments[{len(self._files)}]"
        name = file_name(filename, f"{place}.filename")
        of_type = file_type(mime_type, name, f"{place}.mime_type")
        self._files.append(_Growing(name, of_type, self._size_bytes))
        return place

    async def write(self, piece: bytes) -> None:
        """Adds to the file that was begun last.

        Raises:
            AttachmentTooLarge: the file, or all together, pass their limit.
            Busy: the disk is full.
        """
        file = self._files[-1]
        file.size_bytes += len(piece)
        self._size_bytes += len(piece)
        self._refuse_size(file)
        self._held.append((file, piece))
        self._held_bytes += len(piece)
        if self._held_bytes >= ATTACHMENT_CHUNK_BYTES:
            await self._flush()

    async def finish(self) -> list[StagedFile]:
        """The files as the writer takes them, readable until `close`.

        Raises:
            Busy: the disk is full.
        """
        if self._held:
            await self._flush()
        return [
            StagedFile(
                file.filename,
                file.mime_type,
                file.size_bytes,
                file.digest.hexdigest(),
                partial(self._read, file.begin),
            )
            for file in self._files
        ]

    def close(self) -> None:
        """Lets go of everything; nothing is left on the disk."""
        with self._lock:
            self._is_closed = True
            self._held.clear()
            if self._spool is not None:
                # On a full disk the rest cannot be written; the file goes away all the same.
                with contextlib.suppress(OSError):
                    self._spool.close()

    def _refuse_size(self, file: _Growing) -> None:
        if file.size_bytes > ATTACHMENT_MAX_BYTES:
            raise AttachmentTooLarge(
                f"{file.filename!r} is too large: an attachment may have"
                f" {ATTACHMENT_MAX_BYTES // MEGABYTE} MB."
            )
        if self._size_bytes > ATTACHMENTS_MAX_BYTES:
            raise AttachmentTooLarge(
                f"Up to {file.filename!r} the attachments are too large: all of a message together"
                f" may have {ATTACHMENTS_MAX_BYTES // MEGABYTE} MB."
            )

    async def _flush(self) -> None:
        held, self._held, self._held_bytes = self._held, [], 0
        try:
            if self._size_bytes < ATTACHMENT_CHUNK_BYTES:
                self._spool_out(held)  # memory alone, and soon done
            else:
                await asyncio.to_thread(self._spool_out, held)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            _log.error("there is no room for the files of a send: %s", error)
            raise Busy(
                "The server has no room for these files at the moment: try again later.",
                retry_after_seconds=_NO_ROOM_SECONDS,
            ) from None

    def _spool_out(self, held: list[tuple[_Growing, bytes]]) -> None:
        with self._lock:
            if self._is_closed:
                return
            if self._spool is None:
                self._spool = tempfile.SpooledTemporaryFile(  # noqa: SIM115 (`close` closes it)
                    max_size=ATTACHMENT_CHUNK_BYTES, dir=str(self._folder)
                )
            for file, piece in held:
                file.digest.update(piece)
                self._spool.write(piece)

    def _read(self, begin: int, offset: int, size: int) -> bytes:
        with self._lock:
            assert self._spool is not None, "only files with bytes are read"
            self._spool.seek(begin + offset)
            return self._spool.read(size)
