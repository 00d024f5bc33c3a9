"""The main job: two agents converse through real processes, and a watcher wakes the second one."""

import asyncio
import re
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import mcp_types
from mcp import Client, StdioServerParameters

from support.server_process import ServerProcess, scrubbed_environment


def agent_parameters(server: ServerProcess, key: str, home: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "messenger_mcp"],
        env={
            **scrubbed_environment(home),
            "MESSENGER_SERVER_URL": server.url,
            "MESSENGER_API_KEY": key,
        },
    )


async def call(agent: Client, tool: str, **arguments: object) -> str:
    result = await agent.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, mcp_types.TextContent)
    assert not result.is_error, content.text
    return content.text


def first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, text
    return found.group()


@asynccontextmanager
async def armed(command: str, home: Path) -> AsyncIterator[asyncio.StreamReader]:
    """Runs the command that `enable_notifications` gave, as a host's monitor would."""
    process = await asyncio.create_subprocess_exec(
        *shlex.split(command),
        env=scrubbed_environment(home),
        stdout=asyncio.subprocess.PIPE,
        stdin=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        yield process.stdout
    finally:
        process.terminate()
        assert await process.wait() == 0


async def until_armed(agent: Client) -> None:
    async with asyncio.timeout(10):
        while "Notifications: armed" not in await call(agent, "whoami"):
            pass


async def test_a_message_wakes_the_other_agent_and_its_answer_comes_back(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server:
        planner_key = server.create_key("planner", agent="Planner")
        coder_key = server.create_key("coder", agent="Coder")
        async with (
            Client(agent_parameters(server, planner_key, tmp_path)) as planner,
            Client(agent_parameters(server, coder_key, tmp_path)) as coder,
        ):
            coder_address = first(r"box_[0-9a-f]{16}", await call(coder, "whoami"))
            assert coder_address in await call(planner, "list_agents")
            asked = await call(coder, "enable_notifications")
            command = first(r"(?<=command:     ).*", asked)
            assert coder_key not in asked
            async with armed(command, tmp_path) as lines:
                await until_armed(coder)
                sent = await call(
                    planner,
                    "send_message",
                    to=coder_address,
                    subject="Refactor ready",
                    body="The parser is split in two. Please review.",
                    thread_name="Parser refactor",
                )
                message_id = first(r"msg_[0-9a-f]+", sent)
                line = (await asyncio.wait_for(lines.readline(), 5)).decode()
                assert line == f"[messenger] Planner — Parser refactor ({message_id})\n"
                read = await call(coder, "read_message", message_id=message_id)
                assert "The parser is split in two. Please review." in read
                waiting = asyncio.create_task(call(planner, "wait_for_message", timeout_seconds=20))
                await call(coder, "send_message", reply_to=message_id, body="Reviewed: fine.")
                assert "Re: Refactor ready" in await waiting or "Re: Refactor ready" in await call(
                    planner, "list_messages"
                )
            thread = await call(planner, "get_thread", thread_id=first(r"thr_[0-9a-f]+", sent))
            assert thread.index("Please review.") < thread.index("Reviewed: fine.")
        assert planner_key not in server.log()
