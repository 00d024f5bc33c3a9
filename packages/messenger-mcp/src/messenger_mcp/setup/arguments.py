"""The command line of a setup: words to one checked request."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from messenger_mcp.config import SettingError, checked_api_key, checked_server_url
from messenger_mcp.log import one_safe_line
from messenger_mcp.setup.hosts import CLAUDE, HOSTS, Host

DEFAULT_SERVER_URL = "http://127.0.0.1:3600"

_WRONG_USE = 2
_ABOUT = """\
Writes the `messenger` entry into the host's configuration file of this folder, and a reminder into
the file that its agent reads. Everything else in both files stays as it is. Hosts copy the key into
their transcripts in clear: after a leak replace or revoke it; deleting the file is not enough.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class SetupRequest:
    """What a person asked to set up."""

    host: Host
    server_url: str
    api_key: str | None = field(repr=False)
    """Absent: to be filled in."""
    force: bool
    show_only: bool
    plugin_folder: Path | None


def setup_request(
    words: Sequence[str], environ: Mapping[str, str], *, host: Host | None = None
) -> SetupRequest:
    """The request of a command line.

    Args:
        words: what follows `setup` or `--claude-setup-mcp`.
        environ: may give the key.
        host: the host, where the command itself names it.

    Raises:
        SettingError: the URL or the key is none.
        SystemExit: the words mean nothing (code 2), or help was asked for.
    """
    given = _parser(host).parse_args(words)
    chosen = host or HOSTS[given.host]
    if given.plugin is not None and chosen is not CLAUDE:
        raise SettingError(f"--plugin is for claude alone: {chosen.title} has no such plugins.")
    if given.plugin is not None and given.print:
        raise SettingError("--plugin writes a folder: it goes without --print.")
    return SetupRequest(
        host=chosen,
        server_url=checked_server_url("--server-url", given.server_url.strip()),
        api_key=_key(given.api_key, environ),
        force=given.force,
        show_only=given.print,
        plugin_folder=None if given.plugin is None else Path(given.plugin).expanduser(),
    )


def _key(given: str | None, environ: Mapping[str, str]) -> str | None:
    name = "--api-key" if given is not None else "MESSENGER_API_KEY"
    key = (given if given is not None else environ.get(name, "")).strip()
    return checked_api_key(name, key) if key else None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # A mistyped option may stand beside a key, which is not repeated.
        self.exit(_WRONG_USE, f"messenger-mcp: {one_safe_line(message)}. See {self.prog} --help.\n")


def _parser(host: Host | None) -> argparse.ArgumentParser:
    prog = "messenger-mcp setup" if host is None else "messenger-mcp --claude-setup-mcp"
    parser = _Parser(
        prog=prog,
        description=_ABOUT,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if host is None:
        parser.add_argument("host", metavar="HOST", choices=HOSTS, help=", ".join(HOSTS))
    parser.add_argument(
        "--server-url", metavar="URL", default=DEFAULT_SERVER_URL, help=DEFAULT_SERVER_URL
    )
    parser.add_argument(
        "--api-key", metavar="KEY", help="else MESSENGER_API_KEY; without one it stays empty"
    )
    parser.add_argument("--force", action="store_true", help="replace an entry that is there")
    if host is None:
        parser.add_argument(
            "--print", action="store_true", help="show the entry, without its key; write nothing"
        )
        parser.add_argument(
            "--plugin", metavar="FOLDER", help="with claude: write a plugin into this folder"
        )
    else:
        parser.set_defaults(print=False, plugin=None)
    return parser
