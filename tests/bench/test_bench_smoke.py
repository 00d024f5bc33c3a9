"""The benchmark runs from a checkout and prints what it promises; no number is judged here."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.bench.figures import FIGURE_BY_NAME
from tools.bench.report import Round, result_line, result_of

# Every figure once, a browser among them, beside other tests on as many cores.
pytestmark = pytest.mark.timeout(300)

ROOT = Path(__file__).resolve().parents[2]

_NUMBER = r"\d+(\.\d+)?(e[+-]\d+)?"
_MEASURED = re.compile(rf"\w+ {_NUMBER} ({_NUMBER}|-) ({_NUMBER}|-)  \S+ target \S+ (met|MISSED)")


def bench(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "tools/bench", "--quick", *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_figure_has_a_line_between_the_loads_of_the_machine() -> None:
    lines = bench().splitlines()

    assert re.match(r"# \d+ cores, load [\d.]+ [\d.]+ [\d.]+, Python", lines[0])
    assert re.match(r"# \d+ cores, load", lines[-1])
    figures = lines[1:-1]
    assert {line.split()[0] for line in figures} == set(FIGURE_BY_NAME)
    for line in figures:
        assert _MEASURED.match(line), line


def test_json_holds_the_rounds_behind_each_wanted_figure() -> None:
    report = json.loads(bench("--json", "--rounds", "2", "--only", "store_c32,attach_25mb"))

    measured, without_floor = report["results"]
    assert measured["name"] == "store_c32"
    assert [measured["value"], measured["floor"]] in measured["rounds"]
    assert len(measured["rounds"]) == 2
    assert measured["ratio"] == pytest.approx(measured["value"] / measured["floor"])
    assert "floor" not in without_floor
    assert len(report["before"]["load"]) == 3


def test_an_unknown_figure_is_refused_by_its_name() -> None:
    done = subprocess.run(
        [sys.executable, "tools/bench", "--only", "send_c32,speed"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 2
    assert "'speed'" in done.stderr


def test_a_figure_shows_the_round_in_the_middle_with_its_own_floor() -> None:
    rounds = [Round(30, 100), Round(90, 100), Round(20, 50)]

    result = result_of(FIGURE_BY_NAME["send_c32"], rounds)

    assert result_line(result) == "send_c32 20 50 0.4  sends/s target ratio>=0.24 met"


@pytest.mark.parametrize(
    ("name", "worse"), [("send_c32", Round(10, 100)), ("mixed", Round(90, 100))]
)
def test_of_two_rounds_the_worse_one_is_shown(name: str, worse: Round) -> None:
    result = result_of(FIGURE_BY_NAME[name], [Round(10, 100), Round(90, 100)])

    assert (result.value, result.floor) == worse


def test_a_figure_without_floor_is_judged_by_its_value() -> None:
    result = result_of(FIGURE_BY_NAME["stop"], [Round(0.6)])

    assert result_line(result) == "stop 0.6 - -  s target value<=0.5 MISSED"
