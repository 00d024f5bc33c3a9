"""The command that arms the watcher is the way in which this process was started."""

import shlex
from pathlib import Path

import pytest

from messenger_mcp.launch import Launch, watch_command

ADDRESS = "box_9f2c4a01b3d7e5f8"
IN_UV_CACHE = "/home/someone/.cache/uv/archive-v0/VJyMwUwKrhEXdqrW"


def command(
    *,
    argv0: str = "/gone/bin/messenger-mcp",
    prefix: str = "/usr",
    folder: str = "/",
    parent: tuple[str, ...] = (),
) -> str:
    launch = Launch(
        argv0=argv0,
        executable="/opt/a python/bin/python",
        prefix=prefix,
        folder=folder,
        parent=parent,
    )
    return watch_command(launch, ADDRESS)


@pytest.mark.parametrize(
    ("parent", "started"),
    [
        (("uvx", "messenger-mcp"), "uvx messenger-mcp"),
        (("uv", "tool", "uvx", "messenger-mcp"), "uvx messenger-mcp"),
        (("uvx", "messenger-mcp@0.1.0"), "uvx messenger-mcp@0.1.0"),
        (
            ("uvx", "--python", "3.12", "--from", "messenger-mcp==0.1.0", "messenger-mcp"),
            "uvx --python 3.12 --from messenger-mcp==0.1.0 messenger-mcp",
        ),
        (("uv", "tool", "run", "messenger-mcp"), "uv tool run messenger-mcp"),
        (("/usr/bin/uv", "run", "messenger-mcp"), "/usr/bin/uv run --directory / messenger-mcp"),
        (
            ("uv", "run", "--directory", "work", "--with", "messenger-mcp", "messenger-mcp"),
            "uv run --directory / --with messenger-mcp messenger-mcp",
        ),
        (
            ("uv", "run", "python", "-m", "messenger_mcp"),
            "uv run --directory / python -m messenger_mcp",
        ),
    ],
)
def test_what_uv_runs_is_run_by_uv_again(parent: tuple[str, ...], started: str) -> None:
    assert command(prefix=IN_UV_CACHE, parent=parent) == f"{started} --watch {ADDRESS}"


def test_a_uvx_that_the_shell_does_not_find_is_named_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "uvx").touch()
    parent = (str(tmp_path / "uv"), "tool", "uvx", "messenger-mcp")
    assert command(parent=parent) == f"{tmp_path}/uvx messenger-mcp --watch {ADDRESS}"


def test_a_relative_path_that_uv_was_given_becomes_absolute(tmp_path: Path) -> None:
    wheel = tmp_path / "dist" / "client.whl"
    wheel.parent.mkdir()
    wheel.touch()
    parent = ("uvx", "--from", "dist/client.whl", "messenger-mcp")
    assert command(folder=str(tmp_path), parent=parent).startswith(f"uvx --from {wheel} messenger")


def test_an_environment_of_uvx_whose_parent_cannot_be_read_is_run_by_uvx() -> None:
    assert command(prefix=IN_UV_CACHE) == f"uvx messenger-mcp --watch {ADDRESS}"


def test_a_password_in_the_words_of_uv_is_shown_to_nobody() -> None:
    parent = ("uvx", "--index-url", "https://me:secret@index.example", "messenger-mcp")
    assert command(prefix=IN_UV_CACHE, parent=parent) == f"uvx messenger-mcp --watch {ADDRESS}"


def test_a_script_is_named_by_its_absolute_path(tmp_path: Path) -> None:
    script = tmp_path / "my tools" / "messenger-mcp"
    script.parent.mkdir()
    script.touch()
    said = command(argv0="my tools/messenger-mcp", folder=str(tmp_path), parent=("zsh", "-l"))
    assert shlex.split(said) == [str(script), "--watch", ADDRESS]


@pytest.mark.parametrize("parent", [(), ("node", "host.js"), ("uv", "run", "pytest"), ("uv",)])
def test_a_module_is_named_by_its_interpreter(parent: tuple[str, ...]) -> None:
    said = command(argv0="/site-packages/messenger_mcp/__main__.py", parent=parent)
    assert said == f"'/opt/a python/bin/python' -m messenger_mcp --watch {ADDRESS}"


def test_this_process_finds_out_how_it_was_started() -> None:
    launch = Launch.of_this_process()
    assert launch.folder == str(Path.cwd())
    assert shlex.split(watch_command(launch, ADDRESS))[-2:] == ["--watch", ADDRESS]
