"""Files of this machine as attachments: from the paths that an agent gives to checked sources.

Every file is checked before anything leaves: that it is one, that it may be read and sent, how
large it is, and the digest of its content. What is checked is the file that was opened, not its
path, so that nobody can put another one in its place. It is opened anew for each try of a send, and
must then be the same, byte for byte.
"""

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec import UNSET, Meta, UnsetType

from messenger_core import limits
from messenger_core.mail import BinaryReader
from messenger_core.wire.common import Request
from messenger_mcp.local_paths import PathRefused, absolute, hint, in_words, shown
from messenger_mcp.path_guard import (
    HEAD_BYTES,
    is_secret_by_another_name,
    why_not_read,
    why_not_send,
)

_READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe with nobody at its other end
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class AttachedFile(Request, frozen=True, kw_only=True):
    """A file that an agent wants to send."""

    path: Annotated[str, Meta(min_length=1, description="Of this machine.")]
    name: Annotated[str | UnsetType, Meta(description="Another file name.")] = UNSET


class ReadingRules(NamedTuple):
    """What may be read on this machine."""

    state_dir: Path
    """The client's own folder: never."""
    roots: tuple[Path, ...] | None
    """Only what lies in one of these folders; `None`: anywhere."""


class _Mark(NamedTuple):
    """What stays the same of a file that nobody touches."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FileSource:
    """A checked file (`messenger_core.mail.AttachmentSource`)."""

    filename: str
    sha256: str
    path: Path
    """Absolute, links resolved."""
    given: str
    """The path as the agent gave it."""
    mark: _Mark

    @property
    def mime_type(self) -> None:
        """The server's table says it, by the extension of the name: it is the same everywhere."""

    @property
    def size_bytes(self) -> int:
        """How many bytes it has."""
        return self.mark.size_bytes

    def open(self) -> BinaryReader:
        """The file from its beginning.

        Raises:
            PathRefused: it cannot be read any more, or is not the one that was checked.
        """
        with _refusing(self.given):
            return _Reader(self, os.open(self.path, _READ_FLAGS))


def check_files(files: Sequence[AttachedFile], rules: ReadingRules) -> list[FileSource]:
    """The files as sources, in their order. Reads each of them once, whole; blocks.

    Raises:
        PathRefused: one cannot be sent; names it and says why.
    """
    sources = []
    total_bytes = 0
    for file in files:
        source = _check(file, rules)
        total_bytes += source.size_bytes
        if total_bytes > limits.ATTACHMENTS_MAX_BYTES:
            raise PathRefused(
                f"up to the file {shown(file.path)} the attachments have {total_bytes:,} bytes: "
                f"all of a message together may have {limits.ATTACHMENTS_MAX_BYTES:,}. Send them "
                "in several messages."
            )
        sources.append(source)
    return sources


def _check(file: AttachedFile, rules: ReadingRules) -> FileSource:
    given = absolute(file.path)
    filename = _filename(file, given)
    with _refusing(file.path):
        real = Path(os.path.realpath(given, strict=True))
        _refuse_place(file.path, real, rules)
        # Before it is opened: opening alone does something to some devices.
        _refuse_kind(file.path, os.lstat(real))
        descriptor = os.open(real, _READ_FLAGS)
        with os.fdopen(descriptor, "rb", buffering=0) as opened:
            found = os.fstat(descriptor)
            _refuse_kind(file.path, found)
            _refuse_place(file.path, _opened_path(descriptor, real), rules)
            if found.st_nlink > 1 and is_secret_by_another_name(found.st_dev, found.st_ino):
                raise _refused(file.path, "it is a hard link to a file that holds secrets")
            if found.st_size > limits.ATTACHMENT_MAX_BYTES:
                raise PathRefused(
                    f"the file {shown(file.path)} has {found.st_size:,} bytes: an attachment may "
                    f"have {limits.ATTACHMENT_MAX_BYTES:,}. Send less, or a part of it."
                )
            sha256 = _read_through(file.path, opened, found.st_size)
            mark = _mark(found)
            if _mark(os.fstat(descriptor)) != mark:
                raise _changed(file.path)
    return FileSource(
        filename=filename,
        sha256=sha256,
        path=real,
        given=file.path,
        mark=mark,
    )


def _filename(file: AttachedFile, given: Path) -> str:
    """What the recipient sees: the name that was given, or the path's last part."""
    if not file.name:
        return given.name.encode(errors="replace").decode()
    name = re.split(r"[/\\]", file.name)[-1].strip()
    if name in {"", ".", ".."} or len(name) > limits.FILENAME_MAX_CHARS:
        raise PathRefused(
            f"{shown(file.name)} is no name for the file {shown(file.path)}: give one of 1 to "
            f"{limits.FILENAME_MAX_CHARS} characters."
        )
    return name


def _refuse_place(given: str, real: Path, rules: ReadingRules) -> None:
    if reason := why_not_read(real, rules.state_dir):
        raise _refused(given, reason, real)
    if rules.roots is None:
        return
    roots = [Path(os.path.realpath(root)) for root in rules.roots]
    if not any(real.is_relative_to(root) for root in roots):
        listed = ", ".join(shown(root) for root in rules.roots)
        reason = f"attachments are read only from {listed} (MESSENGER_ATTACHMENT_ROOTS)"
        raise _refused(given, reason, real)


def _refuse_kind(given: str, found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    kind = next((kind for is_kind, kind in _KINDS if is_kind(found.st_mode)), "no plain file")
    hint = "Pack it into a file first." if kind == "a folder" else "Give the path of a plain file."
    raise PathRefused(f"{shown(given)} is {kind}: only plain files can be attached. {hint}")


def _opened_path(descriptor: int, real: Path) -> Path:
    """Where the opened file lies: a folder on the way to it may have been replaced meanwhile."""
    try:
        return Path(os.readlink(f"/proc/self/fd/{descriptor}"))
    except OSError:
        # No such view on this system: what the path leads to now must be what was opened.
        again = Path(os.path.realpath(real, strict=True))
        if not os.path.samestat(os.stat(again), os.fstat(descriptor)):
            raise FileNotFoundError(errno.ENOENT, "it was replaced") from None
        return again


def _read_through(given: str, file: BinaryReader, size_bytes: int) -> str:
    """The digest of a file that holds nothing against its being sent."""
    digest = hashlib.sha256()
    read_bytes = 0
    head = b""
    while piece := file.read(limits.ATTACHMENT_CHUNK_BYTES):
        if len(head) < HEAD_BYTES:
            head += piece[:HEAD_BYTES]
        digest.update(piece)
        read_bytes += len(piece)
        if read_bytes > size_bytes:
            break
    if read_bytes != size_bytes:
        raise _changed(given)
    if reason := why_not_send(head):
        raise _refused(given, reason)
    return digest.hexdigest()


class _Reader:
    """A checked file while it is sent; at its end it must have been the one that was checked."""

    def __init__(self, source: FileSource, descriptor: int) -> None:
        self._source = source
        self._file = os.fdopen(descriptor, "rb", buffering=0)
        self._digest = hashlib.sha256()
        self._read_bytes = 0
        if _mark(os.fstat(descriptor)) != source.mark:
            self.close()
            raise _changed(source.given)

    def read(self, size: int, /) -> bytes:
        with _refusing(self._source.given):
            piece = self._file.read(size)
            self._digest.update(piece)
            self._read_bytes += len(piece)
            is_longer = self._read_bytes > self._source.size_bytes
            if is_longer or (not piece and not self._is_as_checked()):
                raise _changed(self._source.given)
        return piece

    def close(self) -> None:
        self._file.close()

    def _is_as_checked(self) -> bool:
        return (
            self._read_bytes == self._source.size_bytes
            and self._digest.hexdigest() == self._source.sha256
            and _mark(os.fstat(self._file.fileno())) == self._source.mark
        )


def _mark(found: os.stat_result) -> _Mark:
    return _Mark(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


@contextmanager
def _refusing(given: str) -> Iterator[None]:
    """Turns what the system says of a path into a refusal that names it."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = in_words(error) if isinstance(error, OSError) else str(error)
        raise PathRefused(
            f"the file {shown(given)} cannot be read ({reason}).{hint(given)}"
        ) from error


def _refused(given: str, reason: str, real: Path | None = None) -> PathRefused:
    leads = f" (it is {shown(real)})" if real is not None and str(real) != given else ""
    return PathRefused(
        f"the file {shown(given)}{leads} is never sent: {reason}. Leave it out; a person who "
        "wants it sent sends it by another way."
    )


def _changed(given: str) -> PathRefused:
    return PathRefused(
        f"the file {shown(given)} changed while it was read. Call the tool again when nothing "
        "writes to it any more."
    )
