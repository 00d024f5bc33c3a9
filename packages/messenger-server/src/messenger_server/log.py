"""Logging: one line on stderr for each record, with its time and level, and never a key in it."""

import asyncio
import json
import logging
import re
import traceback
from functools import lru_cache
from typing import Final

from messenger_core import times
from messenger_server.config import LogFormat, LogLevel
from messenger_server.log_outlet import StderrOutlet

START_LOGGER: Final = "messenger_server.start"
"""The lines of a start go here: no level silences them."""

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}

_SHORT_LEVELS: Final = {"WARNING": "WARN", "CRITICAL": "ERROR"}

# Control characters, line and paragraph separators, direction marks, lone surrogates: whatever
# could begin a second line, move the cursor or show a line otherwise than it is.
_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_KEY: Final = re.compile(r"mk_[A-Za-z0-9_-]{8,}")


def start_logging(level: LogLevel, form: LogFormat) -> None:
    """Sends every record of the process to stderr; libraries are heard from warnings upwards."""
    _leave_out_of_records()
    handler = _StderrHandler()
    handler.setFormatter(_JsonFormatter() if form == "json" else _TextFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    for name in ("messenger_server", "messenger_core"):
        logging.getLogger(name).setLevel(_LEVELS[level])
    # Programs look for the words of a start, whatever else they want to hear.
    logging.getLogger(START_LOGGER).setLevel(min(_LEVELS[level], logging.INFO))


def one_line(text: str) -> str:
    """The text with every unsafe character written as its escape, and keys left out."""
    if text.isascii() and text.isprintable():
        return _without_keys(text)
    return _without_keys(_UNSAFE.sub(_escape, text))


def _leave_out_of_records() -> None:
    """What no line shows is not looked for: half of a record's cost is the place in the source.

    The switches are those of Python's own logging guide (docs.python.org/3/howto/logging.html).
    """
    logging._srcfile = None
    logging.logThreads = logging.logMultiprocessing = logging.logProcesses = False


def _without_keys(text: str) -> str:
    # A net under the rule that nobody logs a key: a wrong setting may be one, pasted by mistake.
    return _KEY.sub("mk_[hidden]", text) if "mk_" in text else text


def _escape(found: re.Match[str]) -> str:
    # No codec: Python would load its file at the first use, and none opens when too many are open.
    return ascii(found[0])[1:-1]


class _StderrHandler(logging.Handler):
    """Writes to stderr and outlives whoever read the other end.

    What the loop's own thread logs in one turn goes out together, at the end of that turn: a call
    to the system lets the writer's thread take over, and the loop then waits to get its turn back.
    Nothing stays behind in a buffer of Python's, which would turn the exit code into 120 once the
    pipe broke.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[str] = []
        self._outlet = StderrOutlet()

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a record; one that cannot be formatted is said to be lost."""
        try:
            self._waiting.append(self.format(record))
        except Exception:  # noqa: BLE001 (a border: a wrong log call must not fail what it reports)
            self._waiting.append("a log record could not be formatted")
        if record.levelno > logging.INFO:
            self.flush()
        elif len(self._waiting) == 1:
            self._flush_after_turn()

    def flush(self) -> None:
        """Writes what waits."""
        self.acquire()  # held while writing too: lines keep their order
        try:
            lines, self._waiting = self._waiting, []
            if lines:
                self._outlet.write(lines)
        finally:
            self.release()

    def _flush_after_turn(self) -> None:
        try:
            asyncio.get_running_loop().call_soon(self.flush)
        except RuntimeError:  # no loop runs in this thread
            self.flush()


class _TextFormatter(logging.Formatter):
    """`TIME LEVEL message`, the cause of a failure behind it on the same line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        level = _SHORT_LEVELS.get(record.levelname, record.levelname)
        cause = _cause(record)
        message = record.getMessage() + (f" | {cause}" if cause else "")
        return f"{_time(record)} {level} {one_line(message)}"


class _JsonFormatter(logging.Formatter):
    """One JSON object a line; `message` holds the words of the text form."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        fields = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": one_line(record.getMessage()),
        }
        cause = _cause(record)
        if cause:
            fields["exception"] = one_line(cause)
        return json.dumps(fields, ensure_ascii=False)


def _time(record: logging.LogRecord) -> str:
    seconds, rest = divmod(int(record.created * 1000), 1000)
    return f"{_until_milliseconds(seconds)}{rest:03d}Z"


@lru_cache(maxsize=2)
def _until_milliseconds(seconds: int) -> str:
    """`2026-09-07T13:31:00.`, made once a second: a busy server writes thousands of lines in it."""
    return times.rfc3339(seconds * 1000).removesuffix("000Z")


def _cause(record: logging.LogRecord) -> str:
    error = record.exc_info[1] if record.exc_info else None
    return "".join(traceback.format_exception(error)).rstrip() if error else ""
