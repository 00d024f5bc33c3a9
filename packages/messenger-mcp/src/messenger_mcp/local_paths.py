"""Paths of this machine that an agent gives: where they lead, and how they are told again."""

import os
from pathlib import Path


class PathRefused(Exception):
    """A file or folder that may not or cannot be used; its text names it, why, and what to do."""


def absolute(given: str) -> Path:
    """The path with `~` expanded, from the process's folder on; links are not followed.

    Raises:
        PathRefused: it is empty, or no path can look like that.
    """
    if not given.strip():
        raise PathRefused("the path is empty: give the path of a file.")
    if "\0" in given:
        raise PathRefused(f"{shown(given)} holds a NUL character: no path does.")
    try:
        os.fsencode(given)
    except UnicodeEncodeError:
        raise PathRefused(f"{shown(given)} holds half of a surrogate pair: no path does.") from None
    return Path.cwd() / os.path.expanduser(given)


def shown(path: str | Path) -> str:
    """A path between quotation marks, on one line, exactly as it is when it is printable."""
    text = str(path)
    return f"“{text}”" if text.isprintable() else f"“{ascii(text)[1:-1]}”"


def hint(given: str) -> str:
    """Where a relative path starts, as a sentence to add; empty for another path."""
    if os.path.isabs(os.path.expanduser(given)):
        return ""
    return f" Relative paths start at {shown(Path.cwd())}."


def in_words(error: OSError) -> str:
    """Why the system refused, e.g. `permission denied`."""
    return (error.strerror or type(error).__name__).lower()
