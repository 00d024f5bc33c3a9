"""The pages against the programs: every command, option and variable, and no other."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
PROGRAMS = ("messenger-server", "messenger-mcp")
SHARED_OPTIONS = {"--help", "--version"}

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SUBCOMMAND = re.compile(r"^ {2,4}([a-z]+)(?: {2,}|$)", re.MULTILINE)

every_program = pytest.mark.parametrize("program", PROGRAMS)


@cache
def _help(program: str, *words: str) -> str:
    """What a command says of itself; empty when there is no such command."""
    module = program.replace("-", "_")
    done = subprocess.run(
        [sys.executable, "-m", module, *words, "--help"],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    return done.stdout if done.returncode == 0 else ""


def _subcommands(text: str) -> list[str]:
    _, heading, listed = text.partition("\ncommands:\n")
    if not heading:
        _, heading, listed = text.partition("\nactions:\n")
    return SUBCOMMAND.findall(listed)


def _commands(program: str, *words: str) -> dict[str, str]:
    """Every command of a program that runs by itself, with its help, by its words."""
    text = _help(program, *words)
    assert text, f"{program} {' '.join(words)} --help failed"
    below = _subcommands(text)
    found = {} if below and words else {" ".join((program, *words)): text}
    for word in below:
        found |= _commands(program, *words, word)
    return found


def _section(program: str) -> str:
    _, _, rest = PAGE.partition(f"## `{program}`")
    return rest.partition("\n## ")[0]


@every_program
def test_every_command_and_option_is_documented(program: str) -> None:
    commands = _commands(program)
    options = {option for text in commands.values() for option in OPTION.findall(text)}

    assert [words for words in commands if f"`{words}" not in _section(program)] == []
    assert sorted(options - set(OPTION.findall(_section(program)))) == []


@every_program
def test_every_documented_command_and_option_exists(program: str) -> None:
    commands = _commands(program)
    options = {option for text in commands.values() for option in OPTION.findall(text)}
    documented = re.findall(rf"`({program}(?: [a-z]+)*)", _section(program))

    assert [words for words in documented if words not in commands] == []
    assert sorted(set(OPTION.findall(_section(program))) - options) == []


def test_the_commands_of_the_readme_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", readme, re.DOTALL | re.MULTILINE))

    for words in re.findall(r"tools/start((?: [a-z]+)*)", blocks):
        named = words.split()[:2]  # what follows are the command's own arguments
        assert _help("messenger-server", *named), words
    for option in re.findall(r"messenger-mcp (--[a-z-]+)", blocks):
        assert option in _help("messenger-mcp")


def test_every_variable_of_the_client_is_documented() -> None:
    source = (ROOT / "packages/messenger-mcp/src/messenger_mcp/config.py").read_text("utf-8")
    read = set(re.findall(r'"(MESSENGER_[A-Z_]+)"', source))

    assert read == set(re.findall(r"`(MESSENGER_[A-Z_]+)`", _section("messenger-mcp")))
