"""The Claude Code plugin: its files stand in this package and are written out into a folder.

No file of it holds a key: the host asks for it when the plugin is enabled.
"""

import json
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from messenger_mcp import __version__
from messenger_mcp.setup.arguments import SetupRequest
from messenger_mcp.setup.config_file import write_text
from messenger_mcp.setup.faults import SetupRefusedError

MANIFEST = PurePosixPath(".claude-plugin/plugin.json")

_SOURCE = "claude_plugin"


def plugin_files(server_url: str) -> dict[PurePosixPath, str]:
    """The text of each file of the plugin, by its path inside it."""
    root = files("messenger_mcp.setup") / _SOURCE
    texts = dict(_texts(root, PurePosixPath()))
    manifest = json.loads(texts[MANIFEST])
    manifest["userConfig"]["server_url"]["default"] = server_url
    # The version is that of the package, and stands second, where a reader looks for it.
    manifest = {"name": manifest.pop("name"), "version": __version__, **manifest}
    texts[MANIFEST] = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    return texts


def write_plugin(request: SetupRequest, folder: Path) -> list[Path]:
    """Writes the plugin into a folder, and gives the files.

    Raises:
        SetupRefusedError: something is there already and force is not asked for, or the folder
            cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise SetupRefusedError(
            f"{folder} is a file: give a new folder for the plugin. Nothing was written."
        )
    if not request.force and folder.exists() and any(folder.iterdir()):
        raise SetupRefusedError(
            f"{folder} is not empty: give a new folder, or --force to write the plugin's files "
            "over those of the same names. Nothing was written."
        )
    written = []
    for name, text in plugin_files(request.server_url).items():
        path = folder / name
        write_text(path, text, holds_secret=False)
        written.append(path)
    return written


def _texts(folder: Traversable, place: PurePosixPath) -> list[tuple[PurePosixPath, str]]:
    found: list[tuple[PurePosixPath, str]] = []
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            found += _texts(item, place / item.name)
        else:
            found.append((place / item.name, item.read_text(encoding="utf-8")))
    return found
