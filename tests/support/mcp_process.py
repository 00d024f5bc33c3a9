"""A real `messenger-mcp` in a process of its own, and what a host says to it."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from support.project import address_in
from support.server_process import scrubbed_environment

SECONDS: Final = 20.0
"""Two busy cores start several processes at once."""

INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test-host", "version": "1"},
    },
}


class McpProcess:
    """Starts the MCP server and ends it with the block.

    `folder` is its home and its project, so its state is in `folder/.mcp-messenger`. Nothing waits
    for the start: `initialize` does.
    """

    def __init__(
        self,
        folder: Path,
        *,
        url: str,
        key: str,
        settings: Mapping[str, str] | None = None,
        command: Sequence[str] = (sys.executable, "-m", "messenger_mcp"),
    ) -> None:
        self._last_id = 1
        self._errors = ""
        self.process = subprocess.Popen(
            list(command),
            env={
                **scrubbed_environment(folder),
                "MESSENGER_SERVER_URL": url,
                "MESSENGER_API_KEY": key,
                **(settings or {}),
            },
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        if error is not None:
            error.add_note(f"stderr of the MCP server:\n{self.errors()}")
        self.process.wait(SECONDS)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def initialize(self) -> None:
        """Shakes hands."""
        assert self._ask(INITIALIZE)["id"] == 1

    def call(self, tool: str, **arguments: object) -> str:
        """The text of a tool call, whether it is refused or not."""
        self._last_id += 1
        params = {"name": tool, "arguments": arguments}
        answer = self._ask(
            {"jsonrpc": "2.0", "id": self._last_id, "method": "tools/call", "params": params}
        )
        text = answer["result"]["content"][0]["text"]
        assert isinstance(text, str)
        return text

    def address(self) -> str:
        """The mailbox that it works, as `whoami` names it."""
        text = self.call("whoami")
        assert text.startswith("Address: "), text
        return address_in(text)

    def kill(self) -> None:
        """Ends it as `kill -9` does."""
        self.process.kill()
        self.process.wait(SECONDS)

    def terminate(self) -> int:
        """Asks it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(SECONDS)

    def errors(self) -> str:
        """Everything that it wrote on stderr; waits for its end."""
        stream = self.process.stderr
        if stream is not None and not stream.closed:
            self._errors += stream.read()
        return self._errors

    def _ask(self, message: object) -> dict[str, Any]:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(message) + "\n")
        stdin.flush()
        answer: dict[str, Any] = json.loads(stdout.readline())
        return answer
