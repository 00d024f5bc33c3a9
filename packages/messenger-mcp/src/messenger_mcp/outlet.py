"""Where the watcher's lines go: a file descriptor that somebody reads, slowly, or no longer."""

import errno
import os
import select
import sys
from enum import Enum, auto

_GONE = frozenset({errno.EPIPE, errno.ECONNRESET, errno.EIO, errno.EBADF})
"""A closed pipe, a closed socket, a terminal that hung up, a descriptor that is none."""


class Reader(Enum):
    """What is known of who reads the lines."""

    READY = auto()
    SLOW = auto()
    """It is there and does not read: a line written now would block."""
    GONE = auto()


class Outlet:
    """Writes whole lines to a descriptor and knows whether anybody reads them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def reader(self) -> Reader:
        """Looks at the other end, without writing and without waiting."""
        if sys.platform == "win32":
            return Reader.READY
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        found = poll.poll(0)
        if not found:
            return Reader.SLOW
        gone = select.POLLERR | select.POLLHUP | select.POLLNVAL
        return Reader.GONE if found[0][1] & gone else Reader.READY

    def write(self, line: str) -> None:
        """Writes one line, with nothing left in a buffer.

        Raises:
            BrokenPipeError: nobody reads any more.
            OSError: it cannot be written, as on a full disk.
        """
        rest = memoryview(line.encode() + b"\n")
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:
                # Somebody who shares the descriptor made it non-blocking.
                select.select([], [self._descriptor], [])
            except OSError as error:
                if error.errno in _GONE:
                    raise BrokenPipeError(error.errno, error.strerror) from error
                raise
