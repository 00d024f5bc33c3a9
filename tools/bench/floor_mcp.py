"""The floor of `mcp_start` and `mcp_rss`: two tools on the bare SDK, over stdio."""

from typing import Any, Final

import anyio
import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

_NOTHING: Final = {"type": "object", "properties": {}, "additionalProperties": False}
_TEXT: Final = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "body": {"type": "string"}},
    "required": ["to", "body"],
    "additionalProperties": False,
}
_TOOLS: Final = [
    mcp_types.Tool(name="ask", description="Asks.", input_schema=_NOTHING),
    mcp_types.Tool(name="tell", description="Tells somebody something.", input_schema=_TEXT),
]

_Context = ServerRequestContext[dict[str, Any]]
"""The SDK's own type for a server without a lifespan."""


def main() -> None:
    """Serves until the end of input."""
    anyio.run(_serve)


async def _list_tools(
    _context: _Context, _params: mcp_types.PaginatedRequestParams | None
) -> mcp_types.ListToolsResult:
    return mcp_types.ListToolsResult(tools=_TOOLS)


async def _call_tool(
    _context: _Context, params: mcp_types.CallToolRequestParams
) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(text=params.name)])


async def _serve() -> None:
    server: Server[dict[str, Any]] = Server(
        "floor", version="1", on_list_tools=_list_tools, on_call_tool=_call_tool
    )
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
