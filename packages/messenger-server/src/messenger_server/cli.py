"""The command line: arguments in, exit code out; it imports what the chosen command needs alone."""

import argparse
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Final

from messenger_core import limits
from messenger_core.blank import is_blank
from messenger_core.errors import MessengerError
from messenger_core.wire.common import refuse_unstorable
from messenger_server import __version__
from messenger_server.config import SETTINGS, Refused, ServerConfig, database_path
from messenger_server.log import one_line

FAILED: Final = 1
INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; gives its exit code: 0 done, 1 failed, 2 wrong use or configuration."""
    _speak_utf8()
    parsed = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = parsed.command
    try:
        code = command(parsed)
        sys.stdout.flush()
    except Refused as refusal:
        return _fail(str(refusal), refusal.exit_code)
    except MessengerError as error:
        return _fail(error.detail, FAILED)
    except BrokenPipeError:
        # Whoever read our output left; the interpreter would complain once more at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return _fail(str(error), FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _fail(sentence: str, code: int) -> int:
    print(f"messenger-server: {one_line(sentence)}", file=sys.stderr)
    return code


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="messenger-server",
        description="A mailbox for AI agents: without a command, serves on 127.0.0.1 alone.",
        epilog=_settings_text(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(command=_serve)
    parser.add_argument("--version", action="version", version=f"messenger-server {__version__}")
    parser.add_argument(
        "--alembic-ini",
        dest="command",
        action="store_const",
        const=_alembic_ini,
        help='print the path of the packaged migrations: alembic -c "$(messenger-server'
        ' --alembic-ini)" upgrade head',
    )
    parser.add_argument(
        "--reset-password",
        dest="command",
        action="store_const",
        const=_reset_password,
        help="print a new console password, and close every console session",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_keys(
        commands.add_parser(
            "keys", help="make, list, replace and revoke API keys", allow_abbrev=False
        )
    )
    upgrade = commands.add_parser(
        "upgrade",
        help="back the database up, then bring its schema to this version",
        allow_abbrev=False,
    )
    upgrade.set_defaults(command=_upgrade)
    upgrade.add_argument(
        "--check", action="store_true", help="only say what would run; exit 3 when behind"
    )
    return parser


def _settings_text() -> str:
    lines = ["settings, from the environment (an empty value counts as unset):"]
    for setting in SETTINGS:
        default = f" (default: {setting.default})" if setting.default else ""
        lines.append(f"  {setting.name}{default}")
        lines += textwrap.wrap(setting.help, 76, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join(lines)


def _add_keys(keys: argparse.ArgumentParser) -> None:
    actions = keys.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_keys_create(
        actions.add_parser(
            "create", help="make an API key; its secret is shown once", allow_abbrev=False
        )
    )
    actions.add_parser("list", help="list the API keys, without their secrets").set_defaults(
        command=_list_keys
    )
    rotate = actions.add_parser(
        "rotate",
        help="replace an API key by one of the same settings; the old one is good for a day more",
    )
    rotate.set_defaults(command=_rotate_key)
    rotate.add_argument("id", metavar="ID", help="key_…, as `keys list` shows it")
    rotate.add_argument("--json", action="store_true", help="print the whole key as JSON")
    revoke = actions.add_parser("revoke", help="refuse an API key from now on")
    revoke.set_defaults(command=_revoke_key)
    revoke.add_argument("id", metavar="ID", help="key_…, as `keys list` shows it")


def _add_keys_create(create: argparse.ArgumentParser) -> None:
    create.set_defaults(command=_create_key)
    create.add_argument(
        "name", metavar="NAME", type=_text("NAME", limits.KEY_NAME_MAX_CHARS), help="what it is for"
    )
    create.add_argument(
        "--agent",
        metavar="A",
        type=_text("--agent", limits.AGENT_NAME_MAX_CHARS),
        help="bind it to one agent; without it the key is valid for all",
    )
    create.add_argument(
        "--description",
        metavar="D",
        type=_text("--description", limits.DESCRIPTION_MAX_CHARS),
        help="what that agent is",
    )
    lifetime = create.add_mutually_exclusive_group()
    lifetime.add_argument(
        "--days",
        metavar="N",
        type=_days,
        default=limits.KEY_LIFETIME_DEFAULT_DAYS,
        help=f"how long it is good, 1 to {limits.KEY_LIFETIME_MAX_DAYS} (default: %(default)s)",
    )
    lifetime.add_argument(
        "--forever", dest="days", action="store_const", const=None, help="it never expires"
    )
    create.add_argument("--read-only", action="store_true", help="it reads mail and cannot send")
    create.add_argument(
        "--vendor",
        metavar="V",
        type=_text("--vendor", limits.VENDOR_MAX_CHARS),
        help="the program that uses it",
    )
    create.add_argument("--relay", action="store_true", help="mail to unclaimed names goes to it")
    create.add_argument("--json", action="store_true", help="print the whole key as JSON")


def _text(name: str, longest: int) -> Callable[[str], str]:
    def reading(text: str) -> str:
        if is_blank(text) or len(text) > longest:
            seen = 0 if is_blank(text) else len(text)
            raise argparse.ArgumentTypeError(f"1 to {longest} characters, not {seen}")
        try:
            refuse_unstorable(name, text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return text

    return reading


def _days(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= limits.KEY_LIFETIME_MAX_DAYS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of days from 1 to {limits.KEY_LIFETIME_MAX_DAYS}"
        )
    return int(text)


# Each command imports its own modules: `--version` and a wrong setting answer at once.


def _serve(_arguments: argparse.Namespace) -> int:
    config = ServerConfig.from_env(os.environ)

    from messenger_server.serve import serve

    return serve(config)


def _alembic_ini(_arguments: argparse.Namespace) -> int:
    from messenger_core.migrate import ini_path

    print(ini_path())
    return 0


def _reset_password(_arguments: argparse.Namespace) -> int:
    from messenger_server.commands import account

    return account.reset(database_path(os.environ))


def _create_key(arguments: argparse.Namespace) -> int:
    from messenger_core.wire.access import NewKey
    from messenger_server.commands import keys

    draft = NewKey(
        name=arguments.name,
        agent_name=arguments.agent,
        lifetime_days=arguments.days,
        agent_description=arguments.description,
        can_send=not arguments.read_only,
        vendor=arguments.vendor,
        relay=arguments.relay,
    )
    return keys.create(database_path(os.environ), draft, as_json=arguments.json)


def _list_keys(_arguments: argparse.Namespace) -> int:
    from messenger_server.commands import keys

    return keys.show_all(database_path(os.environ))


def _rotate_key(arguments: argparse.Namespace) -> int:
    from messenger_server.commands import keys

    return keys.rotate(database_path(os.environ), arguments.id, as_json=arguments.json)


def _revoke_key(arguments: argparse.Namespace) -> int:
    from messenger_server.commands import keys

    return keys.revoke(database_path(os.environ), arguments.id)


def _upgrade(arguments: argparse.Namespace) -> int:
    from messenger_server.commands import upgrade

    path = database_path(os.environ)
    return upgrade.check(path) if arguments.check else upgrade.run(path)
