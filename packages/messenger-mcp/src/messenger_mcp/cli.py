"""The command line: says which mode is meant, and imports that mode alone.

The watcher must not pay for the MCP library, nor `--version` for anything.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence

from messenger_mcp import __version__

DONE = 0
FAILED = 1
WRONG_USE = 2

_HELP = """\
A mailbox for AI agents: the MCP server of one agent, and its watcher.

usage: messenger-mcp                      serve MCP on stdin and stdout
       messenger-mcp --watch [ADDRESS]    print a line for each incoming message
                     [--keepalive N]      and a line after N seconds without one
                     [--wake codex]       and wake the session's Codex thread
       messenger-mcp COMMAND
       messenger-mcp --claude-setup-mcp   short for `setup claude`
       messenger-mcp --version
       messenger-mcp --help               also after a command

commands:
  setup   write the configuration of a host: claude, codex, cursor, vscode, gemini, opencode
  doctor  look whether server, key, mailbox, watcher, local state and clock are right
  hook    what a host's plugin runs at the start of a session and at the end of a turn

settings, from the environment:
  MESSENGER_SERVER_URL         the server, http:// or https:// (needed)
  MESSENGER_API_KEY            an API key of that server, mk_… (needed)
  MESSENGER_AGENT_ID           fixed mailbox address; empty: one mailbox a session
  MESSENGER_AGENT_NAME         name of the agent, for a key valid for all agents
  MESSENGER_AGENT_DESCRIPTION  what the agent does, likewise
  MESSENGER_TIMEOUT_MS         one HTTP call, in milliseconds (15000)
  MESSENGER_STATE_DIR          local state (~/.mcp-messenger)
  MESSENGER_SESSION_KEY        identity of a scripted session
  MESSENGER_ATTACHMENT_ROOTS   folders that attachments may be read from
  MESSENGER_HANDOFF_AT_START   leave the watcher's hand-off at the start, for a plugin
"""


class UsageError(Exception):
    """A command line that means nothing; its text is one sentence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and gives its exit code: 0 done, 1 failed, 2 wrong use, setting or key."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(words)
    except UsageError as error:
        print(f"messenger-mcp: {error} See messenger-mcp --help.", file=sys.stderr)
        return WRONG_USE


def _run(words: list[str]) -> int:
    match words:
        case []:
            return _serve(os.environ)
        case ["--version"]:
            print(f"messenger-mcp {__version__}")
            return DONE
        case ["--help" | "-h"]:
            print(_HELP, end="")
            return DONE
        case ["--watch", *rest]:
            return _watch(os.environ, rest)
        case ["--claude-setup-mcp" | "setup" as word, *rest]:
            return _setup(rest, claude=word != "setup")
        case ["doctor", *rest]:
            return _doctor(rest)
        case ["hook", *rest]:
            return _hook(rest)
        case [word, *_]:
            raise UsageError(f"{word!r} is no option of this program.")
    raise AssertionError(words)


def _serve(environ: Mapping[str, str]) -> int:
    _leave_on_signals()
    # What is imported below takes most of the start and may print.
    from messenger_mcp.wire import Wire

    wire = Wire()
    import logging

    from messenger_mcp.log import configure_logging, one_safe_line

    configure_logging()
    from messenger_mcp.config import ClientConfig, SettingError

    try:
        config = ClientConfig.from_env(environ)
        from messenger_mcp.serve_stdio import serve_stdio

        serve_stdio(config, wire)
    except SettingError as error:
        print(f"messenger-mcp: {one_safe_line(str(error))}", file=sys.stderr)
        return WRONG_USE
    except Exception:
        logging.getLogger(__name__).exception("the MCP server failed")
        return FAILED


def _watch(environ: Mapping[str, str], words: list[str]) -> int:
    address: str | None = None
    keepalive_seconds: float | None = None
    wakes_codex = False
    rest = iter(words)
    for word in rest:
        if word == "--keepalive" or word.startswith("--keepalive="):
            keepalive_seconds = _seconds(word.partition("=")[2] or next(rest, ""))
        elif word == "--wake" or word.startswith("--wake="):
            wakes_codex = _is_codex(word.partition("=")[2] or next(rest, ""))
        elif word.startswith("-"):
            raise UsageError(f"{word!r} is no option of --watch.")
        elif address is not None:
            raise UsageError(f"--watch takes one address, not {address!r} and {word!r}.")
        else:
            address = word
    _leave_on_signals()
    from messenger_mcp.watch import watch_main

    return watch_main(
        environ, address=address, keepalive_seconds=keepalive_seconds, wakes_codex=wakes_codex
    )


def _is_codex(text: str) -> bool:
    if text != "codex":
        raise UsageError(f"--wake takes codex, not {text!r}.")
    return True


def _leave_on_signals() -> None:
    """Until the mode listens for them itself: there is nothing to tidy up yet."""
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: os._exit(DONE))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 86_400:
        raise UsageError(f"--keepalive takes seconds from 1 to 86400, not {text!r}.")
    return seconds


def _setup(words: list[str], *, claude: bool) -> int:
    from pathlib import Path

    from messenger_mcp.setup.command import setup_main

    return setup_main(words, os.environ, Path.cwd(), claude=claude)


_DOCTOR_HELP = """\
usage: messenger-mcp doctor

Prints a line for each thing that must be right: the settings, the server, the key, the mailbox, its
watcher, the clock and the local state. Exit 1 when something is wrong. No key is printed.
"""


def _doctor(words: list[str]) -> int:
    if words in (["--help"], ["-h"]):
        print(_DOCTOR_HELP, end="")
        return DONE
    if words:
        raise UsageError(f"doctor takes no arguments, not {words[0]!r}.")
    from messenger_mcp.doctor import doctor_main

    return doctor_main(os.environ, sys.stdout)


_HOOK_HELP = """\
usage: messenger-mcp hook session-start
       messenger-mcp hook stop

Run by Claude Code through the plugin: JSON in on stdin, JSON out on stdout. The first tells the
agent its address and its unread mail; the second notices, once, that no watcher is armed. Always
exit 0.
"""


def _hook(words: list[str]) -> int:
    if words in (["--help"], ["-h"]):
        print(_HOOK_HELP, end="")
        return DONE
    if words not in (["session-start"], ["stop"]):
        # The host takes code 2 of a hook as "block": a wrong event must not hold the agent up.
        print(
            f"messenger-mcp: hook takes session-start or stop, not {' '.join(words)!r}: nothing "
            "was done. See messenger-mcp hook --help.",
            file=sys.stderr,
        )
        return DONE
    from messenger_mcp.hooks import hook_main

    return hook_main(words[0], os.environ, sys.stdin, sys.stdout)
