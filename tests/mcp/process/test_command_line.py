"""The command line of `messenger-mcp`, and what each mode loads."""

import subprocess
import sys

import pytest

from messenger_mcp import __version__, cli


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"messenger-mcp {__version__}\n"


def test_the_help_names_every_option_and_variable(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    said = capsys.readouterr().out
    for word in ("--watch", "--keepalive", "--version", "MESSENGER_SERVER_URL"):
        assert word in said


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--wotch"], "'--wotch' is no option"),
        (["send"], "'send' is no option"),
        (["--watch", "box_1", "box_2"], "one address, not 'box_1' and 'box_2'"),
        (["--watch", "--keepalive"], "--keepalive takes seconds from 1 to 86400, not ''"),
        (["--watch", "--keepalive=nan"], "not 'nan'"),
        (["--watch", "--loud"], "'--loud' is no option of --watch"),
    ],
)
def test_a_wrong_command_line_is_refused_with_code_2_and_a_sentence(
    words: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert named in said.err
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        ("--version", ["msgspec", "mcp", "httpx2", "asyncio", "argparse"]),
        ("--watch box_0123456789abcdef", ["mcp", "mcp_types", "pydantic", "sqlalchemy"]),
    ],
)
def test_a_mode_loads_no_library_that_it_does_not_need(words: str, absent: list[str]) -> None:
    code = (
        "import sys\n"
        "from messenger_mcp import cli\n"
        f"cli.main({words.split()!r})\n"
        f"print([name for name in {absent!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"HOME": "/nonexistent", "PATH": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
