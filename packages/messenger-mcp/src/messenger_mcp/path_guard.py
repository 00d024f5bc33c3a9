"""Why a file of this machine is never sent, or never written: the tables, applied to one path.

Paths are compared after links are resolved, without regard to case, and wherever they lie: another
person's `.ssh` is guarded like one's own.
"""

import itertools
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from messenger_mcp.guarded_places import (
    PUBLIC_NAMES,
    SECRET_NAMES,
    SECRET_PLACES,
    STARTING_NAMES,
    STARTING_PLACES,
    STARTING_SYSTEM_PLACES,
    SYSTEM_PLACES,
    WORKING_PLACES,
)

HEAD_BYTES = 64 * 1024
"""How much of a file is looked at for keys."""

_LINKS_LOOKED_AT = 5000

_PRIVATE_KEY = re.compile(
    rb"^[ \t>|]*-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}[ \t\r]*$"
    rb'|"private_key"[ \t]*:[ \t]*"-----BEGIN'
    rb"|^PuTTY-User-Key-File-\d"
    rb"|^AGE-SECRET-KEY-1",
    re.MULTILINE,
)
_KEY_WORDS = (b"PRIVATE KEY", b'"private_key"', b"PuTTY-User-Key-File-", b"AGE-SECRET-KEY-1")
_API_KEY = re.compile(rb"\bmk_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")


def why_not_read(path: Path, state_dir: Path) -> str | None:
    """Why the file at a path is never sent, as the end of a sentence; `None`: nothing against it.

    Args:
        path: absolute, links resolved.
        state_dir: the client's own folder.
    """
    parts = _parts(path)
    if _system_place(path, ("/dev",)) and not path.is_file():
        return "it is a device"
    if place := _place(parts, SECRET_PLACES) or _system_place(path, SYSTEM_PLACES):
        return f"it lies in a place that holds secrets (“{place}”)"
    own = _parts(Path(os.path.realpath(state_dir)))
    if parts[: len(own)] == own:
        return "it lies in the folder where Messenger keeps its own keys"
    if _matches(parts[-1], SECRET_NAMES) and not _matches(parts[-1], PUBLIC_NAMES):
        return "files of this name hold passwords or keys"
    return None


def why_not_send(head: bytes) -> str | None:
    """Why a file that begins so is never sent; `None`: nothing against it.

    Args:
        head: its first bytes, at most `HEAD_BYTES` are looked at.
    """
    # Without byte order marks and the NULs of UTF-16 every encoding reads like ASCII here.
    text = head[:HEAD_BYTES].lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\0", b"")
    # The expressions are slow and hold up every thread: most files have none of their words.
    if any(word in text for word in _KEY_WORDS) and _PRIVATE_KEY.search(text):
        return "it holds a private key"
    if b"mk_" in text and _API_KEY.search(text):
        return "it holds an API key of Messenger (mk_…)"
    return None


def is_secret_by_another_name(device: int, inode: int) -> bool:
    """Whether a file is also one of the person's secrets: a hard link has no name of its own.

    Looks at the places and names of the tables below the home folder, and at so many files that
    it ends soon.
    """
    home = Path.home()
    looked = itertools.islice(_secret_files(home), _LINKS_LOOKED_AT)
    for path in looked:
        try:
            found = os.lstat(path)
        except OSError:
            continue
        if (found.st_dev, found.st_ino) == (device, inode):
            return True
    return False


def why_not_write(path: Path, state_dir: Path) -> str | None:
    """Why no file is ever saved at a path; `None`: nothing against it.

    Args:
        path: absolute, links of its folder resolved.
        state_dir: the client's own folder.
    """
    parts = _parts(path)
    if place := _place(_within_project(parts), STARTING_PLACES) or _system_place(
        path, STARTING_SYSTEM_PLACES
    ):
        return f"programs run or obey what lies in “{place}”"
    if _matches(parts[-1], STARTING_NAMES):
        return f"programs run or obey files named “{path.name}” by themselves"
    return why_not_read(path, state_dir)


def _secret_files(home: Path) -> Iterator[str | Path]:
    with suppress(OSError):
        yield from (path for path in home.iterdir() if _matches(path.name.casefold(), SECRET_NAMES))
    for place in SECRET_PLACES:
        yield home / place
        for folder, _, names in os.walk(home / place):
            yield from (os.path.join(folder, name) for name in names)


def _parts(path: Path) -> tuple[str, ...]:
    return tuple(part.casefold() for part in path.parts)


def _within_project(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The parts below the last folder that holds whole projects, or all of them."""
    whole = "/".join(parts)
    for place in WORKING_PLACES:
        whole = "/" + whole.rpartition(f"/{place}/")[2]
    return tuple(whole.split("/"))


def _place(parts: tuple[str, ...], places: tuple[str, ...]) -> str | None:
    """The place of the table that a path lies in."""
    whole = "/".join(parts) + "/"
    return next((place for place in places if f"/{place}/" in whole), None)


def _system_place(path: Path, places: tuple[str, ...]) -> str | None:
    whole = path.as_posix().casefold() + "/"
    return next((place for place in places if whole.startswith(f"{place}/")), None)


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
