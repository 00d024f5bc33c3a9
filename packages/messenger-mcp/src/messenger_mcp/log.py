"""Logging of the client: stderr, one line a record, never with a key."""

import logging
import re
import time

_KEY = re.compile(r"mk_[A-Za-z0-9_\-]{4,}")
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def configure_logging() -> None:
    """Sends every record to stderr: our own from INFO on, those of libraries from WARNING on.

    Warnings of Python become records too, so that they stay one line each.
    """
    output = logging.StreamHandler()
    output.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[output], level=logging.WARNING, force=True)
    logging.getLogger("messenger_mcp").setLevel(logging.INFO)
    logging.captureWarnings(True)


class OneLine(logging.Formatter):
    """A record as one line, its traceback included; what looks like a key is struck out."""

    @staticmethod
    def converter(seconds: float | None) -> time.struct_time:
        """Times are UTC."""
        return time.gmtime(seconds)

    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """The record's line, without its end."""
        return one_safe_line(super().format(record))


def one_safe_line(text: str) -> str:
    """The text on one line, without anything that looks like a key."""
    return _KEY.sub("mk_…", _LINE_BREAKS.sub(" | ", text))
