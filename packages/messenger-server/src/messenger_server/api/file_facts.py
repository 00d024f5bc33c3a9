"""What is said of a file that comes with a message: its name and its type, made fit to be kept."""

import mimetypes
import re
from os.path import splitext
from typing import Final

from messenger_core.limits import FILENAME_MAX_CHARS, MIME_TYPE_MAX_CHARS
from messenger_core.wire.common import refuse_unstorable
from messenger_server.api.decoding import invalid

UNTYPED: Final = "application/octet-stream"

# Python's own tables: what the machine's files add would make the same name another type elsewhere.
_BUILT_IN: Final = mimetypes.MimeTypes()
_TYPES: Final = {
    **_BUILT_IN.types_map[False],
    **_BUILT_IN.types_map[True],
    # What the tables of some Python version lack, or call an encoding.
    ".7z": "application/x-7z-compressed",
    ".bz2": "application/x-bzip2",
    ".gz": "application/gzip",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".toml": "application/toml",
    ".webp": "image/webp",
    ".xz": "application/x-xz",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".zst": "application/zstd",
}

_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 (a token of RFC 9110)
_MIME_TYPE: Final = re.compile(rf"{_TOKEN}/{_TOKEN}(?:[ \t]*;[ \t\x21-\x7e]*)?")


def file_name(given: str, field: str) -> str:
    """The last part of a name, without folders; its sender's system may be another than ours.

    Raises:
        InvalidRequest: nothing is left, too much is, or what no database keeps; names `field`.
    """
    name = re.split(r"[/\\]", given)[-1]
    if not 1 <= len(name) <= FILENAME_MAX_CHARS:
        raise invalid(field, f"must be a file name of 1 to {FILENAME_MAX_CHARS} characters")
    try:
        refuse_unstorable(field, name)
    except ValueError:
        raise invalid(field, "holds a NUL character: remove it") from None
    return name


def file_type(given: str | None, filename: str, field: str) -> str:
    """The media type of a file: the one that was given, else that of the name's extension.

    Raises:
        InvalidRequest: what was given is no media type; names `field`.
    """
    if given is None:
        return _TYPES.get(splitext(filename)[1].lower(), UNTYPED)
    if len(given) > MIME_TYPE_MAX_CHARS or not _MIME_TYPE.fullmatch(given):
        raise invalid(
            field,
            f"must be a media type like text/plain, of at most {MIME_TYPE_MAX_CHARS} characters",
        )
    return given
