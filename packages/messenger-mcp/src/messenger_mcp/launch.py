"""The command that starts this very program again, in the way in which it was started.

That is `uvx messenger-mcp`, `uv run …` or an absolute path. The words of the parent process tell:
uv stays the parent of what it runs. Where they cannot be read, the path of our own command works.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_SCRIPT = "messenger-mcp"
_MODULE = "messenger_mcp"
_OUR_NAME = re.compile(r"messenger_mcp|messenger-mcp(\.exe)?(\[.*\])?([@=<>~!].*)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """How a process was started."""

    argv0: str
    """Its own first word."""
    executable: str
    """The interpreter."""
    prefix: str
    """The environment that the interpreter works in."""
    folder: str
    """The working folder at the start."""
    parent: Sequence[str]
    """The words of the parent process; empty where they cannot be read."""

    @classmethod
    def of_this_process(cls) -> "Launch":
        """How this process was started; ask before anything changes the working folder."""
        return cls(
            argv0=sys.argv[0],
            executable=sys.executable,
            prefix=sys.prefix,
            folder=os.getcwd(),
            parent=_words_of(os.getppid()),
        )


def watch_command(launch: Launch, address: str) -> str:
    """The command that watches a mailbox, quoted for a shell."""
    return shlex.join([*_own_words(launch), "--watch", address])


def _own_words(launch: Launch) -> list[str]:
    uv = _uv_words(launch)
    if uv is not None:
        return uv
    if "archive-v0" in Path(launch.prefix).parts:
        # The environment is one of those that uvx makes and throws away: its path does not last.
        return ["uvx", _SCRIPT]
    script = Path(launch.folder, launch.argv0)
    if script.name in {_SCRIPT, f"{_SCRIPT}.exe"} and script.is_file():
        return [os.path.normpath(script)]
    return [launch.executable, "-m", _MODULE]


def _uv_words(launch: Launch) -> list[str] | None:
    """The words of a uv that runs us, up to our own name; `None` when none does."""
    words = list(launch.parent)
    if not words or any("://" in word and "@" in word for word in words):
        return None  # an index with a password in its address is shown to nobody
    split = _split_head(words, launch.folder)
    own = None if split is None else _up_to_our_name(split[1])
    if split is None or own is None:
        return None
    return [*split[0], *_with_absolute_paths(own, launch.folder)]


def _split_head(words: list[str], folder: str) -> tuple[list[str], list[str]] | None:
    match [Path(words[0]).name.removesuffix(".exe"), *words[1:]]:
        case ["uvx", *rest]:
            return [words[0]], rest
        case ["uv", "tool", "uvx", *rest]:  # what `uvx` becomes
            return [_uvx_beside(words[0])], rest
        case ["uv", "tool", "run", *rest]:
            return words[:3], rest
        case ["uv", "run", *rest]:
            # The folder decides which project uv runs, and the shell may stand in another one.
            return [words[0], "run", "--directory", folder], rest
        case _:
            return None


def _uvx_beside(uv: str) -> str:
    """`uvx` where the shell finds the one of this uv, else that one's path."""
    beside = Path(uv).with_name("uvx")
    found = shutil.which("uvx")
    elsewhere = found is None or Path(found).resolve() != beside.resolve()
    return str(beside) if elsewhere and beside.is_absolute() and beside.is_file() else "uvx"


def _up_to_our_name(words: list[str]) -> list[str] | None:
    for position, word in enumerate(words):
        if _OUR_NAME.fullmatch(Path(word).name):
            before = words[position - 1] if position else ""
            if before not in {"--from", "--with", "--package"}:
                return words[: position + 1]
    return None


def _with_absolute_paths(words: list[str], folder: str) -> list[str]:
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--directory":
            next(rest, None)
        elif not word.startswith("--directory="):
            path = Path(folder, word)
            is_path = os.sep in word and not word.startswith("-") and path.exists()
            kept.append(os.path.normpath(path) if is_path else word)
    return kept


def _words_of(pid: int) -> list[str]:
    try:
        content = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return []
    return [os.fsdecode(word) for word in content.split(b"\0")[:-1]]
