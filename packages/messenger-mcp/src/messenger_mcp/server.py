"""The MCP server: the tools of a session over the SDK's low-level server."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import mcp_types
import msgspec
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from messenger_core.errors import MessengerError
from messenger_core.tools.catalogue import TOOLS
from messenger_core.tools.instructions import INSTRUCTIONS
from messenger_core.tools.refusals import refusal_text
from messenger_core.tools.tool import AnyTool, OfferedMailbox
from messenger_mcp import __version__
from messenger_mcp.api_client import Unreachable
from messenger_mcp.local_paths import PathRefused
from messenger_mcp.local_tools import Notifications, local_tools
from messenger_mcp.sending import OutcomeUnknown
from messenger_mcp.session import Session
from messenger_mcp.session_identity import names_its_session_in_calls
from messenger_mcp.state_dir import StateDirError

Context = ServerRequestContext[dict[str, Any], Any]  # the SDK leaves what a transport adds open

_log = logging.getLogger(__name__)


def create_server(session: Session, notifications: Notifications) -> Server[dict[str, Any]]:
    """The MCP server of a session; it registers once a client has spoken."""
    tools = {tool.name: tool for tool in (*TOOLS, *local_tools(notifications))}
    listed = mcp_types.ListToolsResult(
        tools=[_listed(tool) for tool in tools.values() if tool.is_listed]
    )

    async def list_tools(
        _: Context, __: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        return listed

    async def call_tool(
        context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(mcp_types.INVALID_PARAMS, f"There is no tool {params.name!r}")
        session.registration.heard(params.meta)
        return await _answer(tool, _Call(session, context), params.arguments or {})

    server = Server(
        "messenger-mcp",
        title="Messenger",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.append(_Registering(session))
    return server


@dataclass(frozen=True, slots=True)
class _Registering:
    """Starts the registration behind the client's first request, which does not wait for it."""

    session: Session

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        # Which mailbox is its own may be known only with the first tool call, which then registers.
        late = names_its_session_in_calls(_client_name(ctx))
        if not late or self.session.is_known_at_start:
            self.session.registration.begin()
        return result


@dataclass(frozen=True, slots=True)
class _Call:
    """One tool call (`messenger_core.tools.tool.ToolCall`)."""

    mail: Session
    context: Context

    @property
    def server_url(self) -> str:
        return self.mail.config.server_url

    @property
    def address_is_new(self) -> bool:
        return self.mail.address_is_new

    @property
    def is_attached(self) -> bool:
        return self.mail.is_attached

    @property
    def own_address(self) -> str | None:
        return self.mail.registration.own

    async def offers(self) -> list[OfferedMailbox]:
        return await self.mail.offers()

    @property
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def report_progress(self, seconds: float, total_seconds: float, message: str) -> None:
        await self.context.session.report_progress(seconds, total_seconds, message)


def _listed(tool: AnyTool) -> mcp_types.Tool:
    return mcp_types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        annotations=mcp_types.ToolAnnotations(**msgspec.structs.asdict(tool.annotations)),
        _meta={"anthropic/alwaysLoad": True} if tool.always_load else None,
    )


async def _answer(
    tool: AnyTool, call: _Call, arguments: Mapping[str, object]
) -> mcp_types.CallToolResult:
    """The border where an exception becomes the text that a model reads."""
    try:
        return _text(await tool.answer(call, arguments))
    except MessengerError as error:
        refused = refusal_text(tool.undone, error)
    except OutcomeUnknown as error:
        refused = (
            f"Unknown whether the message was sent: {error} Send the same content again within ten "
            "minutes: it then arrives once, whatever happened. Or look into the folder sent first."
        )
    except Unreachable as error:
        refused = (
            f"{tool.undone}: {error} Try again in a while; if it stays so, tell the person that "
            "the server cannot be reached."
        )
    except (StateDirError, PathRefused) as error:
        refused = f"{tool.undone}: {error}"
    except Exception:  # noqa: BLE001 - the border: a fault of ours is this call's answer, and logged
        _log.exception("the tool %s failed", tool.name)
        refused = (
            f"{tool.undone}: the Messenger client failed; the cause is in its log on stderr. Tell "
            "the person if it happens again."
        )
    return _text(refused, is_error=True)


def _text(text: str, *, is_error: bool = False) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(text=text)], is_error=is_error)


def _client_name(context: Context) -> str:
    """How the client calls itself; empty when it does not say."""
    if context.method == "initialize":
        info = (context.params or {}).get("clientInfo")
        name = info.get("name") if isinstance(info, Mapping) else None
        return name if isinstance(name, str) else ""
    client = context.session.client_params
    return client.client_info.name if client is not None else ""
