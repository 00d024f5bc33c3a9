"""The Claude Code plugin: what is written out, its shape, and that the host takes it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from messenger_mcp import __version__, cli
from support.server_process import scrubbed_environment

KEY = "mk_0123456789abcdef0123456789abcdef"


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "plugin"
    words = ["setup", "claude", "--plugin", str(folder), "--server-url", "https://m.example/"]
    assert cli.main([*words, "--api-key", KEY]) == 0
    return folder


def _json(folder: Path, name: str) -> object:
    read: object = json.loads((folder / name).read_text("utf-8"))
    return read


def test_the_plugin_has_every_part_and_no_key(plugin: Path) -> None:
    names = {str(path.relative_to(plugin)) for path in plugin.rglob("*") if path.is_file()}
    assert names == {
        ".claude-plugin/plugin.json",
        ".mcp.json",
        "LICENSE",
        "README.md",
        "hooks/hooks.json",
        "monitors/monitors.json",
    }
    assert all(KEY not in path.read_text("utf-8") for path in plugin.rglob("*") if path.is_file())


def test_the_manifest_has_the_version_and_asks_for_server_and_key(plugin: Path) -> None:
    manifest = _json(plugin, ".claude-plugin/plugin.json")
    assert isinstance(manifest, dict)
    assert (manifest["name"], manifest["version"]) == ("messenger", __version__)
    assert manifest["userConfig"]["server_url"]["default"] == "https://m.example"
    assert manifest["userConfig"]["api_key"]["sensitive"] is True


def test_the_server_gets_what_the_host_asked_for_and_leaves_its_hand_off(plugin: Path) -> None:
    assert _json(plugin, ".mcp.json") == {
        "mcpServers": {
            "messenger": {
                "command": "uvx",
                "args": ["messenger-mcp"],
                "env": {
                    "MESSENGER_SERVER_URL": "${user_config.server_url}",
                    "MESSENGER_API_KEY": "${user_config.api_key}",
                    "MESSENGER_HANDOFF_AT_START": "1",
                },
            }
        }
    }


def test_every_command_of_the_plugin_exists(plugin: Path) -> None:
    """Shell commands hold nothing of the user's settings: the host refuses those."""
    texts = [
        (plugin / name).read_text("utf-8")
        for name in ("hooks/hooks.json", "monitors/monitors.json")
    ]
    commands = [found for text in texts for found in re.findall(r'"command": "(.*)"', text)]
    assert commands == [
        "uvx messenger-mcp hook session-start",
        "uvx messenger-mcp hook stop",
        "uvx messenger-mcp --watch",
    ]
    hooks = _json(plugin, "hooks/hooks.json")
    assert isinstance(hooks, dict)
    assert list(hooks["hooks"]) == ["SessionStart", "Stop"]
    assert all("user_config" not in text for text in texts)


def test_the_readme_says_what_it_is_in_forty_words_or_more(plugin: Path) -> None:
    assert len((plugin / "README.md").read_text("utf-8").split()) >= 40


def test_a_folder_that_holds_something_is_left_alone_until_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("x", "utf-8")
    words = ["setup", "claude", "--plugin", str(tmp_path)]

    assert cli.main(words) == 1
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]

    assert cli.main([*words, "--force"]) == 0
    assert (tmp_path / "mine.txt").read_text("utf-8") == "x"
    assert (tmp_path / ".claude-plugin/plugin.json").exists()


@pytest.mark.skipif(shutil.which("claude") is None, reason="Claude Code is not on this machine")
def test_claude_code_itself_validates_the_plugin(plugin: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["claude", "plugin", "validate", str(plugin)],
        env={**scrubbed_environment(tmp_path), "PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Validation passed" in done.stdout
