"""Attachments saved on this machine: whole, checked, and never over what was not meant.

A file arrives under a temporary name beside its place, is compared with its SHA-256, and takes its
place in one step. Files are private (0600) and never executable. A link that stands at the place is
never followed: it counts as a file that is there, and only itself is replaced.
"""

import errno
import hashlib
import os
import re
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from anyio import to_thread

from messenger_core.limits import ATTACHMENT_MAX_BYTES
from messenger_core.mail import AttachmentStream
from messenger_core.tools.plain import one_line
from messenger_mcp.local_paths import PathRefused, absolute, hint, in_words, shown
from messenger_mcp.path_guard import why_not_write

_NAME_MAX_BYTES = 200
"""Some file systems allow no more than 255, and a host may add to a name."""
_EXTENSION_MAX_BYTES = 20
_FALLBACK_NAME = "attachment"
_UNSAFE = re.compile(r"[\x00-\x1f\x7f<>:\"“”|?*/\\]")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)( *\.|$)", re.I)
_WRITE_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_HARD_LINKS = frozenset(
    {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
)


async def save(
    stream: AttachmentStream, path: str | None, *, overwrite: bool, state_dir: Path
) -> Path:
    """Where the attachment was saved, absolute.

    Args:
        stream: the attachment as it arrives.
        path: a folder or a file; `None`: a new private folder below the system's temporary one.
        overwrite: a file that is there is replaced.
        state_dir: the client's own folder, into which nothing is saved.

    Raises:
        PathRefused: it cannot be saved there; nothing is left behind.
        Unreachable: the server broke off; nothing is left behind.
    """
    name = safe_name(stream.attachment.filename)
    if path is None:
        return await _save_in_new_folder(stream, name)
    target = await to_thread.run_sync(_target, path, name, overwrite, state_dir)
    await _save_at(stream, target, overwrite=overwrite)
    return target


def safe_name(filename: str) -> str:
    """The last part of somebody's file name as a name that is plain on every system.

    Hidden files, devices of Windows, invisible and control characters: what a program would take
    for more than a name is changed or left out.
    """
    last = re.split(r"[/\\]", filename)[-1]
    name = _UNSAFE.sub("_", one_line(last, 1000)).lstrip(" .").rstrip(" .")
    if not name.strip("_"):
        return _FALLBACK_NAME
    if _RESERVED.match(name):
        name = f"_{name}"
    return _cut(name)


async def _save_in_new_folder(stream: AttachmentStream, name: str) -> Path:
    target = await to_thread.run_sync(_new_folder) / name
    try:
        await _save_at(stream, target, overwrite=False)
    except BaseException:
        with suppress(OSError):
            os.rmdir(target.parent)
        raise
    return target


def _new_folder() -> Path:
    try:
        return Path(os.path.realpath(tempfile.mkdtemp(prefix="messenger-")))
    except OSError as error:
        raise PathRefused(
            f"no folder can be made below the system's temporary one ({in_words(error)}): give "
            "a `path`."
        ) from error


def _target(path: str, name: str, overwrite: bool, state_dir: Path) -> Path:
    """Where the file shall stand: nothing is there, or what may be replaced."""
    given = absolute(path)
    try:
        if os.path.isdir(given):
            target = Path(os.path.realpath(given, strict=True)) / name
        elif path.endswith(("/", os.sep)):
            raise FileNotFoundError(errno.ENOENT, "no such folder")
        else:
            target = Path(os.path.realpath(given.parent, strict=True)) / given.name
        if reason := why_not_write(target, state_dir):
            raise PathRefused(
                f"nothing is ever saved to {shown(target)}: {reason}. Give as `path` a file "
                "in another folder or of another name, such as “attachment.txt”."
            )
        there = _found(target)
    except (OSError, ValueError) as error:
        reason = in_words(error) if isinstance(error, OSError) else str(error)
        raise PathRefused(
            f"{shown(path)} is no place to save to ({reason}): its folder must exist.{hint(path)}"
        ) from error
    if there is not None:
        _refuse_unless_replaceable(target, there, overwrite)
    return target


def _found(target: Path) -> os.stat_result | None:
    try:
        return os.lstat(target)
    except FileNotFoundError:
        return None


def _refuse_unless_replaceable(target: Path, there: os.stat_result, overwrite: bool) -> None:
    if not stat.S_ISREG(there.st_mode) and not stat.S_ISLNK(there.st_mode):
        raise PathRefused(
            f"{shown(target)} is there already and is no plain file: give another path."
        )
    if not overwrite:
        raise _is_there(target)


async def _save_at(stream: AttachmentStream, target: Path, *, overwrite: bool) -> None:
    temporary = target.with_name(f".messenger-{secrets.token_hex(8)}.part")
    try:
        await _fetch(stream, temporary, target)
        await to_thread.run_sync(_put, temporary, target, overwrite)
    finally:
        with suppress(OSError):
            temporary.unlink()


async def _fetch(stream: AttachmentStream, temporary: Path, target: Path) -> None:
    """Writes what arrives, durably, and compares it with what was announced."""
    facts = stream.attachment
    digest = hashlib.sha256()
    size_bytes = 0
    try:
        # A call that is cancelled waits for its thread: the descriptor is not closed under it.
        descriptor = os.open(temporary, _WRITE_FLAGS, 0o600)
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            async for piece in stream.chunks:
                size_bytes += len(piece)
                if size_bytes > min(facts.size, ATTACHMENT_MAX_BYTES):
                    break
                digest.update(piece)
                await to_thread.run_sync(_write_all, file.fileno(), piece)
            await to_thread.run_sync(os.fsync, descriptor)
    except OSError as error:
        raise _unwritable(target, error) from error
    if size_bytes != facts.size or digest.hexdigest() != facts.sha256:
        raise PathRefused(
            f"{facts.id} arrived damaged (its size or SHA-256 is wrong): nothing was saved. Call "
            "the tool again."
        )


def _write_all(descriptor: int, piece: bytes) -> None:
    left = memoryview(piece)
    while left:
        left = left[os.write(descriptor, left) :]


def _put(temporary: Path, target: Path, overwrite: bool) -> None:
    """Gives the file its name in one step; without `overwrite` only where nothing has it."""
    try:
        if overwrite:
            os.replace(temporary, target)
        elif os.name == "nt":
            os.rename(temporary, target)  # refuses what is there
        else:
            _link_or_reserve(temporary, target)
    except FileExistsError as error:
        raise _is_there(target) from error
    except OSError as error:
        raise _unwritable(target, error) from error


def _link_or_reserve(temporary: Path, target: Path) -> None:
    try:
        os.link(temporary, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # A file system without hard links: an empty file of ours holds the place.
        os.close(os.open(target, _WRITE_FLAGS, 0o600))
        os.replace(temporary, target)


def _cut(name: str) -> str:
    """At most 200 bytes, with the extension."""
    if len(name.encode()) <= _NAME_MAX_BYTES:
        return name
    stem, extension = os.path.splitext(name)
    if len(extension.encode()) > _EXTENSION_MAX_BYTES:
        stem, extension = name, ""
    room = _NAME_MAX_BYTES - len(extension.encode())
    return stem.encode()[:room].decode(errors="ignore").rstrip(" .") + extension


def _is_there(target: Path) -> PathRefused:
    return PathRefused(
        f"{shown(target)} is there already: give another path, or `overwrite` true to replace it."
    )


def _unwritable(target: Path, error: OSError) -> PathRefused:
    is_full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    what_next = "Free some space, or give another path." if is_full else "Give another path."
    return PathRefused(
        f"{shown(target)} cannot be written ({in_words(error)}): nothing was saved. {what_next}"
    )
