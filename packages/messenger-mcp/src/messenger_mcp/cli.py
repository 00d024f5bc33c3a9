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
       messenger-mcp --version
       messenger-mcp --help

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
    rest = iter(words)
    for word in rest:
        if word == "--keepalive" or word.startswith("--keepalive="):
            keepalive_seconds = _seconds(word.partition("=")[2] or next(rest, ""))
        elif word.startswith("-"):
            raise UsageError(f"{word!r} is no option of --watch.")
        elif address is not None:
            raise UsageError(f"--watch takes one address, not {address!r} and {word!r}.")
        else:
            address = word
    _leave_on_signals()
    from messenger_mcp.watch import watch_main

    return watch_main(environ, address=address, keepalive_seconds=keepalive_seconds)


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
