"""What a log line looks like, whatever somebody puts into it."""

import asyncio
import json
import logging
import re
import warnings
from collections.abc import Iterator

import pytest

from messenger_server.log import one_line, start_logging

SECRET = "mk_" + "aB3_-" * 8 + "xyz"
WHEN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """Gives pytest its handlers back."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)
    for name in ("messenger_server", "messenger_core"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def test_a_line_ends_in_its_words_after_a_time_and_a_level(
    capfd: pytest.CaptureFixture[str],
) -> None:
    start_logging("info", "text")

    logging.getLogger("messenger_server.start").info("listening on %s", "here")
    logging.getLogger("messenger_server.start").warning("no console account yet — open it")

    first, second = capfd.readouterr().err.splitlines()
    assert re.fullmatch(f"{WHEN} INFO listening on here", first)
    assert re.fullmatch(f"{WHEN} WARN no console account yet — open it", second)


def test_json_lines_hold_the_same_words_in_message(capfd: pytest.CaptureFixture[str]) -> None:
    start_logging("info", "json")

    logging.getLogger("messenger_server.start").warning("setup — %s\nx", "é")

    (line,) = capfd.readouterr().err.splitlines()
    fields = json.loads(line)
    assert re.fullmatch(WHEN, fields.pop("time"))
    assert fields == {
        "level": "warning",
        "logger": "messenger_server.start",
        "message": "setup — é\\nx",
    }


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "hostile",
    [
        "\n",
        "\r\n",
        "\x0b",
        "\x0c",
        "\x1c",
        "\x85",
        "\u2028",
        "\u2029",
        "\x1b[2J",
        "\x00",
        "\u202e",
        "\ud800",
    ],
)
def test_hostile_text_never_makes_a_second_line(
    capfd: pytest.CaptureFixture[str], form: str, hostile: str
) -> None:
    start_logging("info", "json" if form == "json" else "text")

    logging.getLogger("messenger_server.access").info("GET %s", f"/a{hostile}INFO forged")

    (line,) = capfd.readouterr().err.splitlines()
    assert hostile not in line
    assert "forged" in line


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_failure_is_one_line_with_its_cause(capfd: pytest.CaptureFixture[str], form: str) -> None:
    start_logging("info", "json" if form == "json" else "text")

    try:
        raise ValueError("line\nbreak " + SECRET)
    except ValueError:
        logging.getLogger("messenger_server.app").exception("request r1 failed")

    (line,) = capfd.readouterr().err.splitlines()
    assert "request r1 failed" in line
    assert "ValueError: line" in line
    assert "test_log_lines.py" in line
    assert SECRET not in line


def test_no_key_reaches_a_line(capfd: pytest.CaptureFixture[str]) -> None:
    start_logging("info", "text")

    logging.getLogger("messenger_server.access").info("GET /?key=%s", SECRET)
    logging.getLogger("uvicorn.error").error("bad header %r", SECRET.encode())

    err = capfd.readouterr().err
    assert SECRET[3:12] not in err
    assert err.count("mk_[hidden]") == 2


def test_libraries_are_heard_from_warnings_upwards(capfd: pytest.CaptureFixture[str]) -> None:
    start_logging("debug", "text")

    for library in ("uvicorn.error", "uvicorn.access", "httpx2", "alembic.runtime.migration"):
        logging.getLogger(library).info("chatter")
    logging.getLogger("messenger_server.store").debug("detail")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn("old call", DeprecationWarning, stacklevel=1)

    err = capfd.readouterr().err
    assert "chatter" not in err
    assert "DEBUG detail" in err
    assert "WARN" in err
    assert "old call" in err
    assert len(err.splitlines()) == 2


def test_levels_below_the_wanted_one_are_silent(capfd: pytest.CaptureFixture[str]) -> None:
    start_logging("warning", "text")

    logging.getLogger("messenger_server.access").info("GET /health")
    logging.getLogger("messenger_server.access").warning("slow")

    assert capfd.readouterr().err.endswith(" WARN slow\n")


def test_a_wrong_log_call_does_not_fail_what_it_reports(capfd: pytest.CaptureFixture[str]) -> None:
    start_logging("info", "text")

    logging.getLogger("messenger_server.app").info("%d of %d", 1)

    assert capfd.readouterr().err == "a log record could not be formatted\n"


def test_plain_text_stays_as_it_is() -> None:
    assert one_line("agent «Zoë» – 日本語 mk_abcd…wxyz") == "agent «Zoë» – 日本語 mk_abcd…wxyz"


@pytest.mark.anyio
async def test_lines_of_one_turn_of_the_loop_come_in_their_order(
    capfd: pytest.CaptureFixture[str],
) -> None:
    start_logging("info", "text")
    logger = logging.getLogger("messenger_server.access")

    logger.info("first")
    await asyncio.to_thread(logger.info, "second, from a thread")
    logger.info("third")
    logger.warning("fourth, at once")
    words = [line.split(" ", 2)[2] for line in capfd.readouterr().err.splitlines()]
    assert words == ["first", "second, from a thread", "third", "fourth, at once"]
    logger.info("fifth")
    await asyncio.sleep(0)

    assert capfd.readouterr().err.endswith(" INFO fifth\n")
