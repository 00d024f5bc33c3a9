"""Paths: one form for every spelling of a request's path, in which a name never becomes a path."""

from typing import Final
from urllib.parse import unquote, unquote_to_bytes

_FRONT_PAGES: Final = {b"/": "/", b"/ui/": "/ui/"}
"""The only ones that end in a slash."""


def routed_path(raw_path: bytes) -> str | None:
    """The path to route by: each segment decoded once, but for the `/` and `%` that it holds.

    What a parameter names is read back by `name_of`. None: no route has such a path, for a segment
    is empty, holds NUL or is not UTF-8.
    """
    if raw_path in _FRONT_PAGES:
        return _FRONT_PAGES[raw_path]
    if not raw_path.startswith(b"/"):
        return None
    segments = []
    for raw in raw_path[1:].split(b"/"):
        try:
            segment = (unquote_to_bytes(raw) if b"%" in raw else raw).decode()
        except UnicodeDecodeError:
            return None
        if not segment or "\x00" in segment:
            return None
        if "%" in segment or "/" in segment:
            segment = segment.replace("%", "%25").replace("/", "%2F")
        segments.append(segment)
    return "/" + "/".join(segments)


def name_of(segment: str) -> str:
    """What a segment of a routed path names."""
    return unquote(segment) if "%" in segment else segment
