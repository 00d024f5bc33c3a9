"""The client's log: one line a record, never with a key."""

import logging

import pytest

from messenger_mcp.log import OneLine, one_safe_line

KEY = "mk_" + "aB3-_" * 8 + "xyz"


def record(message: str, *values: object, failed: bool = False) -> str:
    failure = None
    if failed:
        try:
            raise ValueError(f"no route with {KEY}\nsecond line")
        except ValueError as error:
            failure = (type(error), error, error.__traceback__)
    made = logging.LogRecord("messenger_mcp.x", logging.INFO, "f", 1, message, values, failure)
    return OneLine("%(levelname)s %(name)s: %(message)s").format(made)


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\v", "\x85", "\u2028", "\u2029"])
def test_a_record_is_one_line_whatever_it_holds(separator: str) -> None:
    assert record("one%stwo", separator) == "INFO messenger_mcp.x: one | two"


def test_a_traceback_stays_on_its_line_and_loses_keys() -> None:
    line = record("failed", failed=True)
    assert len(line.splitlines()) == 1
    assert "ValueError: no route with mk_…" in line
    assert KEY not in line


def test_a_key_is_struck_out_wherever_it_stands() -> None:
    assert one_safe_line(f"Authorization: Bearer {KEY}, again {KEY}.") == (
        "Authorization: Bearer mk_…, again mk_…."
    )
