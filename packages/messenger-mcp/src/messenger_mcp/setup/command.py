"""`messenger-mcp setup`: looks at everything first, then writes, and says what it did."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from messenger_mcp.config import SettingError
from messenger_mcp.log import one_safe_line
from messenger_mcp.setup.arguments import SetupRequest, setup_request
from messenger_mcp.setup.config_file import read_text, write_text
from messenger_mcp.setup.faults import SetupRefusedError, TextFaultError
from messenger_mcp.setup.hosts import CLAUDE, Host
from messenger_mcp.setup.json_edit import entry_in_json, with_json_entry
from messenger_mcp.setup.reminder import with_reminder
from messenger_mcp.setup.repository import would_be_committed

DONE = 0
REFUSED = 1
WRONG_USE = 2

_HIDDEN_KEY = "mk_…"
_LEAK_ADVICE = (
    "Hosts copy the key into their transcripts in clear: after a leak replace or revoke it; "
    "deleting the file is not enough."
)


def setup_main(
    words: Sequence[str], environ: Mapping[str, str], folder: Path, *, claude: bool = False
) -> int:
    """Sets one host up, and gives the exit code.

    Args:
        words: what follows the command.
        environ: may give the key.
        folder: the project.
        claude: the command was `--claude-setup-mcp`.
    """
    try:
        request = setup_request(words, environ, host=CLAUDE if claude else None)
        if request.plugin_folder is not None:
            return _write_out(request, folder / request.plugin_folder)
        if request.show_only:
            return _show(request, folder)
        return _set_up(request, folder)
    except SettingError as error:
        _note(str(error))
        return WRONG_USE
    except SetupRefusedError as error:
        _note(str(error))
        return REFUSED


@dataclass(frozen=True, kw_only=True, slots=True)
class _Change:
    """A file as it is to be."""

    path: Path
    before: str | None
    after: str

    def write(self, *, holds_secret: bool = False) -> None:
        if self.after != (self.before or "") or holds_secret:
            write_text(self.path, self.after, holds_secret=holds_secret)


def _set_up(request: SetupRequest, folder: Path) -> int:
    path = request.host.file_in(folder)
    reminder = _reminder_change(request.host, folder)
    entry = _entry_change(request, path)
    if entry is not None:
        _warn_of_git(path, has_key=request.api_key is not None)
        entry.write(holds_secret=request.api_key is not None)
    if reminder is not None:
        reminder.write()
        print(f"{reminder.path}: the reminder for the agent stands there.")
    if entry is None:
        _note(
            f"{path} has a `messenger` entry already; it is kept as it is. With --force it is "
            "replaced."
        )
        return REFUSED
    print(f"{path}: the `messenger` entry for {request.server_url} stands there.")
    if request.api_key is None:
        print("The key is empty: fill MESSENGER_API_KEY in with a key of that server (mk_…).")
    print(_LEAK_ADVICE)
    print(request.host.next_step)
    return DONE


def _show(request: SetupRequest, folder: Path) -> int:
    """Prints what would stand in the file, and writes nothing."""
    _note(f"This belongs into {request.host.file_in(folder)}; nothing was written.")
    if request.api_key is not None:
        _note(f"The key is not shown: put it in place of {_HIDDEN_KEY}")
    key = _HIDDEN_KEY if request.api_key is not None else ""
    sys.stdout.write(_edited(request.host, "", _variables(request, key)))
    return DONE


def _write_out(request: SetupRequest, folder: Path) -> int:
    from messenger_mcp.setup.plugin import write_plugin

    write_plugin(request, folder)
    print(
        f"{folder}: the plugin stands there. Try it with: claude --plugin-dir {quote(str(folder))}"
    )
    print("Claude Code asks for the server and the key (/plugin); no file of it holds a key.")
    return DONE


def _reminder_change(host: Host, folder: Path) -> _Change | None:
    if host.instructions is None:
        return None
    path = folder / host.instructions
    before = read_text(path)
    try:
        return _Change(path=path, before=before, after=with_reminder(before or ""))
    except TextFaultError as fault:
        raise _refused(path, fault) from None


def _entry_change(request: SetupRequest, path: Path) -> _Change | None:
    """The file with the entry; `None` when one is there that is kept."""
    before = read_text(path)
    try:
        if not request.force and _is_there(request.host, before or ""):
            return None
        variables = _variables(request, request.api_key or "")
        after = _edited(request.host, before or "", variables)
        return _Change(path=path, before=before, after=after)
    except TextFaultError as fault:
        raise _refused(path, fault) from None


def _variables(request: SetupRequest, key: str) -> dict[str, str]:
    return {"MESSENGER_SERVER_URL": request.server_url, "MESSENGER_API_KEY": key}


def _is_there(host: Host, text: str) -> bool:
    if host.form == "json":
        return entry_in_json(text, host.path) is not None
    from messenger_mcp.setup.toml_edit import entry_in_toml

    return entry_in_toml(text, host.path) is not None


def _edited(host: Host, text: str, variables: Mapping[str, str]) -> str:
    entry = host.entry(variables)
    if host.form == "json":
        return with_json_entry(text, host.path, entry)
    from messenger_mcp.setup.toml_edit import with_toml_entry

    return with_toml_entry(text, host.path, entry)


def _warn_of_git(path: Path, *, has_key: bool) -> None:
    if not would_be_committed(path):
        return
    when = "It holds a key" if has_key else "Before you fill the key in"
    _note(
        f"WARNING: git would pick {path} up. {when}: put the file into .gitignore, or into "
        ".git/info/exclude for yourself alone."
    )


def _refused(path: Path, fault: TextFaultError) -> SetupRefusedError:
    return SetupRefusedError(f"{path} is left untouched, {fault}. Nothing was written.")


def _note(text: str) -> None:
    print(f"messenger-mcp: {one_safe_line(text)}", file=sys.stderr)
