"""Instants keep their milliseconds on every way between base, program and wire."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_core import times

_MS = st.integers(min_value=0, max_value=times.to_ms(datetime(9999, 12, 31, tzinfo=UTC)))


def test_the_wire_form_is_utc_with_milliseconds() -> None:
    instant = datetime(2026, 9, 7, 13, 31, 0, 203_999, UTC)
    assert times.rfc3339(times.to_ms(instant)) == "2026-09-07T13:31:00.203Z"
    assert times.rfc3339(0) == "1970-01-01T00:00:00.000Z"


def test_what_has_not_come_yet_has_no_wire_form() -> None:
    assert times.rfc3339_or_none(None) is None
    assert times.rfc3339_or_none(5) == "1970-01-01T00:00:00.005Z"


@given(_MS)
def test_an_instant_survives_every_form(ms: int) -> None:
    assert times.to_ms(times.from_ms(ms)) == ms
    assert times.to_ms(times.parse_rfc3339(times.rfc3339(ms))) == ms


@given(_MS, _MS)
def test_wire_forms_sort_as_their_instants(one: int, other: int) -> None:
    assert (times.rfc3339(one) < times.rfc3339(other)) == (one < other)


def test_a_time_of_another_zone_is_turned_into_utc() -> None:
    instant = times.parse_rfc3339("2026-09-07T15:31:00.203+02:00")
    assert instant == datetime(2026, 9, 7, 13, 31, 0, 203_000, UTC)
    assert instant.utcoffset() == timedelta(0)
    paris = instant.astimezone(timezone(timedelta(hours=2)))
    assert times.to_ms(paris) == times.to_ms(instant)


@pytest.mark.parametrize("text", ["2026-09-07T13:31:00", "yesterday", ""])
def test_a_text_without_time_or_zone_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"zone|isoformat"):
        times.parse_rfc3339(text)


def test_now_is_now() -> None:
    before = datetime.now(UTC)
    assert before - timedelta(seconds=1) <= times.from_ms(times.now_ms())
    assert times.from_ms(times.now_ms()) <= datetime.now(UTC) + timedelta(seconds=1)
