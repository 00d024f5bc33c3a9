"""The commands that need no database, and wrong use."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from messenger_core.migrate import ini_path
from messenger_server import __version__
from support.server_process import scrubbed_environment

SCRIPT = str(Path(sys.executable).with_name("messenger-server"))


def run(
    tmp_path: Path,
    *arguments: str,
    program: tuple[str, ...] = ("-m", "messenger_server"),
    settings: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *program, *arguments],
        cwd=tmp_path,
        env={**scrubbed_environment(tmp_path), **settings},
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )


def test_the_module_and_the_console_script_say_their_version(tmp_path: Path) -> None:
    for program in (("-m", "messenger_server"), (SCRIPT,)):
        done = run(tmp_path, "--version", program=program)
        assert (done.returncode, done.stdout) == (0, f"messenger-server {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(["--version"], {}), (["--help"], {}), ([], {"MESSENGER_PORT": "0"})],
)
def test_what_needs_no_server_loads_none(
    tmp_path: Path, arguments: list[str], environment: dict[str, str]
) -> None:
    code = (
        "import sys\nfrom messenger_server import cli\n"
        "try:\n    cli.main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('litestar', 'uvicorn', 'sqlalchemy', 'alembic') if m in sys.modules])"
    )

    done = run(tmp_path, *arguments, program=("-c", code), settings=environment)

    assert done.stdout.splitlines()[-1] == "[]"


def test_the_packaged_migrations_are_named(tmp_path: Path) -> None:
    done = run(tmp_path, "--alembic-ini")

    assert (done.returncode, done.stdout) == (0, ini_path() + "\n")
    assert Path(ini_path()).is_file()


def test_help_names_what_there_is_and_nothing_else(tmp_path: Path) -> None:
    shown = run(tmp_path, "--help").stdout

    for there in (
        "keys",
        "upgrade",
        "--alembic-ini",
        "--reset-password",
        "--version",
        "MESSENGER_PORT",
    ):
        assert there in shown
    for later in ("init", "restore", "service", "handoff", "doctor"):
        assert f" {later}" not in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nonsense"],
        ["nonsense"],
        ["keys"],
        ["keys", "rotate"],
        ["keys", "extend", "key_1"],
        ["--reset-password", "nonsense"],
        ["keys", "create"],
        ["keys", "create", "a", "--days", "5", "--forever"],
        ["keys", "revoke"],
        ["--vers"],
    ],
)
def test_wrong_use_is_told_with_exit_code_2(tmp_path: Path, arguments: list[str]) -> None:
    done = run(tmp_path, *arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "messenger-server" in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"MESSENGER_PORT": "0"}, "MESSENGER_PORT is '0': allowed is a whole number"),
        ({"MESSENGER_HOST": "0.0.0.0"}, "MESSENGER_HOST is '0.0.0.0': allowed is 127.0.0.1 only"),
        ({"MESSENGER_TOKEN": "hush"}, "MESSENGER_TOKEN is retired: unset it"),
        ({"MESSENGER_DATABASE_URL": "postgresql://u:hush@h/d"}, "MESSENGER_DATABASE_URL is set"),
        ({"MESSENGER_LOG_LEVEL": "a\nb\x1b[2J"}, r"MESSENGER_LOG_LEVEL is 'a\nb\x1b[2J': allowed"),
        ({"MESSENGER_PORT": "mk_" + "s3cret-hush" * 4}, "MESSENGER_PORT is 'mk_[hidden]'"),
    ],
)
def test_a_wrong_setting_stops_the_start_in_one_sentence(
    tmp_path: Path, environment: dict[str, str], words: str
) -> None:
    done = run(tmp_path, settings=environment)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"messenger-server: {words}")
    assert len(done.stderr.splitlines()) == 1
    assert "hush" not in done.stderr
    assert not (tmp_path / "data").exists()
