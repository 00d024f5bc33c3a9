"""Accepting: what is said, and how often, while the system has no room for further connections."""

import asyncio
import errno
import logging
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

if sys.platform != "win32":
    import resource

_logger = logging.getLogger(__name__)

ACCEPTED_IN_A_TURN: Final = 1
"""Connections that asyncio takes in one turn of its loop.

After a failed accept it goes on to the next of them, and has each failure try again a second
later: with more than one, the tries multiply until they fill the log and the processor.
"""

_NO_ROOM: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_SILENT_SECONDS: Final = 10


class LoopFailures:
    """The exception handler of the loop: a full descriptor table is one sentence now and then."""

    def __init__(self) -> None:
        self._silent_until = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        """Logs what failed in the loop; the arguments are asyncio's own."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _NO_ROOM and "socket" in context):
            loop.default_exception_handler(dict(context))
        elif time.monotonic() >= self._silent_until:
            self._silent_until = time.monotonic() + _SILENT_SECONDS
            _logger.error(
                "new connections have to wait, because the system gives no further socket (%s)%s",
                error.strerror,
                _next_step(error),
            )


def _next_step(error: OSError) -> str:
    if error.errno != errno.EMFILE or sys.platform == "win32":
        return ""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return f": this process may have {limit} files open; raise the limit (ulimit -n) and restart"
