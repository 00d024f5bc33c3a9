"""`docs/reference/tools.md` against the client: every tool and argument, and no other."""

import re
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

from support.server_process import scrubbed_environment

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "tools.md"
ROW = re.compile(r"^\| `([a-z_]+)` \| (.*?) \|", re.MULTILINE)


async def _served(folder: Path) -> dict[str, set[str]]:
    """The arguments of each tool, by its name; a `?` stands after one that may be left out."""
    environment = {
        **scrubbed_environment(folder),
        "MESSENGER_SERVER_URL": "http://127.0.0.1:9",
        "MESSENGER_API_KEY": "mk_" + "a" * 43,
    }
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "messenger_mcp"], env=environment
    )
    async with Client(program) as client:
        tools = (await client.list_tools()).tools
    return {
        tool.name: {
            name if name in tool.input_schema.get("required", []) else f"{name}?"
            for name in tool.input_schema["properties"]
        }
        for tool in tools
    }


async def test_every_tool_and_argument_is_documented_and_no_other(tmp_path: Path) -> None:
    documented = {
        name: set(re.findall(r"`([a-z_]+\??)`", arguments))
        for name, arguments in ROW.findall(PAGE.read_text(encoding="utf-8"))
    }

    assert documented == await _served(tmp_path)
