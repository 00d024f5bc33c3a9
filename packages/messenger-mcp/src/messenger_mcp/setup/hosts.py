"""The hosts: which file holds their servers, in which shape, and which file their agent reads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from messenger_mcp.setup.json_scan import Value

SERVER_NAME = "messenger"

_COMMAND = "uvx"
_PACKAGE = "messenger-mcp"

Entry = dict[str, Value]


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """What a setup must know of a host."""

    name: str
    title: str
    files: Sequence[str]
    """Where its servers stand in a project; the first that exists, else the first."""
    form: Literal["json", "toml"]
    section: str
    """The name that its servers stand under."""
    entry: Callable[[Mapping[str, str]], Entry]
    """From the variables of the client to the entry."""
    instructions: str | None = None
    """The file that its agent reads, where the host is known to have one."""
    next_step: str = ""
    """What the person does then."""

    @property
    def path(self) -> tuple[str, str]:
        """The names that lead to our entry."""
        return (self.section, SERVER_NAME)

    def file_in(self, folder: Path) -> Path:
        """The file of a project."""
        candidates = [folder / name for name in self.files]
        return next((path for path in candidates if path.exists()), candidates[0])


def _plain(variables: Mapping[str, str]) -> Entry:
    return {"command": _COMMAND, "args": [_PACKAGE], "env": dict(variables)}


def _typed(variables: Mapping[str, str]) -> Entry:
    return {"type": "stdio", **_plain(variables)}


def _opencode(variables: Mapping[str, str]) -> Entry:
    return {"type": "local", "command": [_COMMAND, _PACKAGE], "environment": dict(variables)}


CLAUDE = Host(
    name="claude",
    title="Claude Code",
    files=[".mcp.json"],
    form="json",
    section="mcpServers",
    entry=_plain,
    instructions="CLAUDE.md",
    next_step="Start Claude Code in this folder and approve the server.",
)

HOSTS = {
    host.name: host
    for host in (
        CLAUDE,
        Host(
            name="codex",
            title="Codex",
            files=[".codex/config.toml"],
            form="toml",
            section="mcp_servers",
            entry=_plain,
            instructions="AGENTS.md",
            next_step="Start Codex in this folder; it reads the file of a trusted folder.",
        ),
        Host(
            name="cursor",
            title="Cursor",
            files=[".cursor/mcp.json"],
            form="json",
            section="mcpServers",
            entry=_plain,
            next_step="Open this folder in Cursor and switch the server on in its settings.",
        ),
        Host(
            name="vscode",
            title="VS Code",
            files=[".vscode/mcp.json"],
            form="json",
            section="servers",
            entry=_typed,
            next_step="Open this folder in VS Code and start the server when it asks.",
        ),
        Host(
            name="gemini",
            title="Gemini CLI",
            files=[".gemini/settings.json"],
            form="json",
            section="mcpServers",
            entry=_plain,
            instructions="GEMINI.md",
            next_step="Start Gemini CLI in this folder; it reads the file of a trusted folder.",
        ),
        Host(
            name="opencode",
            title="OpenCode",
            files=["opencode.json", "opencode.jsonc"],
            form="json",
            section="mcp",
            entry=_opencode,
            instructions="AGENTS.md",
            next_step="Start OpenCode in this folder.",
        ),
    )
}
"""By the word of the command line."""
