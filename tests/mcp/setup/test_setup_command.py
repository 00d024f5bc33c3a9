"""`messenger-mcp setup` on real folders: what is written, kept, refused, shown and warned of."""

import json
import os
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

from messenger_mcp import cli

KEY = "mk_0123456789abcdef0123456789abcdef"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("MESSENGER_API_KEY", raising=False)
    return folder


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_claude_gets_its_entry_and_the_reminder(project: Path) -> None:
    assert (
        cli.main(["--claude-setup-mcp", "--server-url", "https://m.example/", "--api-key", KEY])
        == 0
    )

    assert json.loads((project / ".mcp.json").read_text("utf-8")) == {
        "mcpServers": {
            "messenger": {
                "command": "uvx",
                "args": ["messenger-mcp"],
                "env": {"MESSENGER_SERVER_URL": "https://m.example", "MESSENGER_API_KEY": KEY},
            }
        }
    }
    assert _mode(project / ".mcp.json") == 0o600
    reminder = (project / "CLAUDE.md").read_text("utf-8")
    assert "enable_notifications" in reminder
    assert "each time the monitor expires" in reminder


VARIABLES = {"MESSENGER_SERVER_URL": "http://127.0.0.1:3600", "MESSENGER_API_KEY": KEY}
STARTED = {"command": "uvx", "args": ["messenger-mcp"], "env": VARIABLES}


@pytest.mark.parametrize(
    ("host", "file", "written", "reminder"),
    [
        ("claude", ".mcp.json", {"mcpServers": {"messenger": STARTED}}, "CLAUDE.md"),
        ("codex", ".codex/config.toml", {"mcp_servers": {"messenger": STARTED}}, "AGENTS.md"),
        ("cursor", ".cursor/mcp.json", {"mcpServers": {"messenger": STARTED}}, None),
        (
            "vscode",
            ".vscode/mcp.json",
            {"servers": {"messenger": {"type": "stdio", **STARTED}}},
            None,
        ),
        ("gemini", ".gemini/settings.json", {"mcpServers": {"messenger": STARTED}}, "GEMINI.md"),
        (
            "opencode",
            "opencode.json",
            {
                "mcp": {
                    "messenger": {
                        "type": "local",
                        "command": ["uvx", "messenger-mcp"],
                        "environment": VARIABLES,
                    }
                }
            },
            "AGENTS.md",
        ),
    ],
)
def test_every_host_gets_its_own_file_and_shape(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    file: str,
    written: object,
    reminder: str | None,
) -> None:
    monkeypatch.setenv("MESSENGER_API_KEY", KEY)

    assert cli.main(["setup", host]) == 0

    text = (project / file).read_text("utf-8")
    assert (tomllib.loads(text) if file.endswith("toml") else json.loads(text)) == written
    assert _mode(project / file) == 0o600
    instructions = {path.name for path in project.glob("*.md")}
    assert instructions == ({reminder} if reminder else set())


def test_without_a_key_it_stays_empty_and_is_said_to_be_filled_in(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["setup", "claude"]) == 0
    assert '"MESSENGER_API_KEY": ""' in (project / ".mcp.json").read_text("utf-8")
    assert "fill MESSENGER_API_KEY in" in capsys.readouterr().out


def test_an_entry_that_is_there_is_kept_with_code_1_until_force(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / ".mcp.json"
    path.write_text('{"mcpServers": {"messenger": {"url": "mine"}, "other": {}}}', "utf-8")

    assert cli.main(["setup", "claude", "--api-key", KEY]) == 1
    assert path.read_text("utf-8") == '{"mcpServers": {"messenger": {"url": "mine"}, "other": {}}}'
    assert "--force" in capsys.readouterr().err

    assert cli.main(["setup", "claude", "--api-key", KEY, "--force"]) == 0
    servers = json.loads(path.read_text("utf-8"))["mcpServers"]
    assert servers["messenger"]["env"]["MESSENGER_API_KEY"] == KEY
    assert servers["other"] == {}


def test_opencode_with_comments_is_written_into_the_file_that_is_there(project: Path) -> None:
    path = project / "opencode.jsonc"
    path.write_text('{\n  // theme\n  "theme": "x",\n}\n', "utf-8")

    assert cli.main(["setup", "opencode"]) == 0

    assert path.read_text("utf-8").startswith('{\n  // theme\n  "theme": "x",\n  "mcp": {\n')
    assert not (project / "opencode.json").exists()


@pytest.mark.parametrize(
    ("host", "file", "content", "place"),
    [
        ("claude", ".mcp.json", b'{"a": 1,\n  oops}', "line 2, column 3"),
        ("codex", ".codex/config.toml", b"a = \n", "line 1, column 5"),
        ("claude", ".mcp.json", b'{"a": "\xff"}', "UTF-8 text (byte 7)"),
        ("claude", "CLAUDE.md", b"# x\n<!-- messenger:start -->\n", "line 2: the markers"),
        (
            "claude",
            "CLAUDE.md",
            b"<!-- messenger:end -->\n\n<!-- messenger:start -->\n",
            "line 1, 3: the markers",
        ),
    ],
)
def test_a_broken_file_is_refused_with_its_place_and_nothing_is_written(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    host: str,
    file: str,
    content: bytes,
    place: str,
) -> None:
    path = project / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)

    assert cli.main(["setup", host, "--api-key", KEY]) == 1

    said = capsys.readouterr().err
    assert place in said
    assert file in said
    assert path.read_bytes() == content
    assert [found for found in project.rglob("*") if found.is_file()] == [path]


def test_a_second_run_replaces_the_reminder_and_nothing_else(project: Path) -> None:
    path = project / "CLAUDE.md"
    path.write_bytes(b"# Mine\r\n\r\nNo newline at the end")
    assert cli.main(["setup", "claude"]) == 0
    first = path.read_bytes()
    assert first.startswith(b"# Mine\r\n\r\nNo newline at the end\r\n\r\n<!-- messenger:start")
    assert first.count(b"\n") == first.count(b"\r\n")

    path.write_bytes(first.replace(b"## Messenger", b"## Old words") + b"After it.\r\n")
    assert cli.main(["setup", "claude", "--force"]) == 0

    assert path.read_bytes() == first + b"After it.\r\n"


def test_a_link_stays_a_link_and_its_target_is_written(project: Path) -> None:
    target = project.parent / "shared.json"
    target.write_text("{}", "utf-8")
    (project / ".mcp.json").symlink_to(target)

    assert cli.main(["setup", "claude", "--api-key", KEY]) == 0

    assert (project / ".mcp.json").is_symlink()
    assert KEY in target.read_text("utf-8")
    assert _mode(target) == 0o600


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (0o644, ["--api-key", KEY], 0o600),
        (0o664, [], 0o664),
        (0o600, [], 0o600),
    ],
)
def test_rights_are_closed_for_a_key_and_never_loosened(
    project: Path, before: int, words: list[str], after: int
) -> None:
    path = project / ".mcp.json"
    path.write_text("{}", "utf-8")
    path.chmod(before)

    assert cli.main(["setup", "claude", *words]) == 0

    assert _mode(path) == after


def test_a_write_that_fails_leaves_the_file_and_no_rest(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / ".mcp.json"
    path.write_text("{}", "utf-8")

    def full(_: str | Path, __: str | Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)

    assert cli.main(["setup", "claude", "--api-key", KEY]) == 1

    assert "cannot be written: No space left on device" in capsys.readouterr().err
    assert [found.name for found in project.iterdir()] == [".mcp.json"]
    assert path.read_text("utf-8") == "{}"


def test_print_shows_the_entry_without_the_key_and_writes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["setup", "codex", "--print", "--api-key", KEY]) == 0

    said = capsys.readouterr()
    shown = tomllib.loads(said.out)["mcp_servers"]["messenger"]
    assert shown["env"]["MESSENGER_API_KEY"] == "mk_…"
    assert KEY not in said.out + said.err
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["setup"], "HOST"),
        (["setup", "emacs"], "emacs"),
        (["setup", "claude", "--server-url", "ftp://x"], "--server-url is 'ftp://x'"),
        (["setup", "claude", "--server-url", "http://a:b@x"], "--server-url must not hold"),
        (["setup", "claude", "--api-key", "secret"], "--api-key is no API key"),
        (["setup", "claude", "--apikey", KEY], "unrecognized arguments"),
        (["setup", "codex", "--plugin", "x"], "--plugin is for claude alone"),
        (["setup", "claude", "--plugin", "x", "--print"], "without --print"),
        (["--claude-setup-mcp", "--print"], "unrecognized arguments"),
    ],
)
def test_a_wrong_command_is_refused_with_code_2_and_never_repeats_a_key(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], named: str
) -> None:
    try:
        code = cli.main(words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    said = capsys.readouterr().err
    assert code == 2
    assert named in said
    assert KEY not in said
    assert "secret" not in said
    assert list(project.iterdir()) == []


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def test_a_file_that_git_would_pick_up_is_warned_of(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["setup", "claude", "--api-key", KEY]) == 0
    assert "git" not in capsys.readouterr().err

    _git(project, "init", "-q")
    assert cli.main(["setup", "claude", "--api-key", KEY, "--force"]) == 0
    said = capsys.readouterr().err
    assert "WARNING: git would pick" in said
    assert ".gitignore" in said

    (project / ".gitignore").write_text(".mcp.json\n", "utf-8")
    assert cli.main(["setup", "claude", "--api-key", KEY, "--force"]) == 0
    assert capsys.readouterr().err == ""

    _git(project, "add", "--force", ".mcp.json")
    assert cli.main(["setup", "claude", "--api-key", KEY, "--force"]) == 0
    assert "WARNING: git would pick" in capsys.readouterr().err


def test_without_git_a_repository_above_is_warned_of_all_the_same(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert cli.main(["setup", "claude", "--api-key", KEY]) == 0
    assert capsys.readouterr().err == ""

    (project.parent / ".git").mkdir()
    assert cli.main(["setup", "claude", "--api-key", KEY, "--force"]) == 0
    assert "WARNING: git would pick" in capsys.readouterr().err


def test_an_outer_git_variable_does_not_speak_for_the_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _git(project, "init", "-q")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    assert cli.main(["setup", "claude"]) == 0
    assert "Before you fill the key in" in capsys.readouterr().err


@pytest.mark.parametrize("name", [".mcp.json", "CLAUDE.md"])
def test_a_pipe_in_place_of_a_file_is_refused_at_once(
    project: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(project / name)
    assert cli.main(["setup", "claude", "--server-url", "http://127.0.0.1:3600"]) != 0
    assert f"{name} is no regular file" in capsys.readouterr().err
    assert [path.name for path in project.iterdir()] == [name]


def test_a_file_in_place_of_the_plugins_folder_is_called_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "plugin").write_text("x", "utf-8")
    words = ["setup", "claude", "--server-url", "http://127.0.0.1:3600", "--plugin", "plugin"]
    assert cli.main(words) != 0
    assert "plugin is a file" in capsys.readouterr().err
