"""Echoes: as much of a value as an error message or a log line says of it."""

from typing import Final

ECHO_MAX_CHARS: Final = 80
"""More of a value helps nobody to find the fault in it."""


def echoed(value: str, longest: int = ECHO_MAX_CHARS) -> str:
    """The value, cut after `longest` characters; `…` then stands for the rest."""
    return value if len(value) <= longest else value[:longest] + "…"
