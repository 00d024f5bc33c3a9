"""The wire of the stdio server: standard input and output, kept for JSON-RPC alone.

Taken before anything heavy is imported: from then on file descriptor 1 is stderr and descriptor 0
is empty, so that a library that prints, a child process, and text that sits in a buffer until the
end never reach the client.
"""

import os
import sys
from io import TextIOWrapper
from typing import TextIO


class Wire:
    """The two streams that the client holds."""

    def __init__(self) -> None:
        """Takes the standard streams; prints go to stderr from now on."""
        self.stdin: TextIO = _private(0, "rb")
        self.stdout: TextIO = _private(1, "wb")
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        sys.stdout = sys.stderr


def _private(descriptor: int, mode: str) -> TextIO:
    binary = os.fdopen(os.dup(descriptor), mode, closefd=False)
    return TextIOWrapper(binary, encoding="utf-8", errors="replace", newline="\n")
