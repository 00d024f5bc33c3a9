"""Hosts that are killed leave no MCP server behind."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil

from support.mcp_process import INITIALIZE
from support.server_process import ServerProcess, scrubbed_environment, wait_until

_SESSIONS = 20
_WHOAMI = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "whoami", "arguments": {}},
}
_HOST = """
import subprocess, sys, time

keeps_the_pipe = sys.argv[1] == "own"
child = subprocess.Popen(
    [sys.executable, "-m", "messenger_mcp"],
    stdin=subprocess.PIPE if keeps_the_pipe else None,
    stdout=subprocess.PIPE,
)
if keeps_the_pipe:
    child.stdin.write(sys.stdin.buffer.read())
    child.stdin.flush()
child.stdout.readline(), child.stdout.readline()
print(child.pid, flush=True)
time.sleep(600)
"""


@contextmanager
def host(env: dict[str, str], folder: Path, kind: str) -> Iterator[subprocess.Popen[bytes]]:
    """A host whose session has answered `whoami`.

    Its kind says who has the other end of the session's input: the host alone (`own`), or somebody
    who lives on (`shared`).
    """
    reading, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-S", "-c", _HOST, kind],
        env=env,
        cwd=folder,
        stdin=reading,
        stdout=subprocess.PIPE,
    ) as process:
        os.close(reading)
        try:
            os.write(writing, (json.dumps(INITIALIZE) + "\n" + json.dumps(_WHOAMI) + "\n").encode())
            if kind == "own":
                os.close(writing)
            yield process
        finally:
            process.kill()
            if kind == "shared":
                os.close(writing)


def test_of_twenty_sessions_none_is_left_five_seconds_after_their_hosts_were_killed(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path / "server") as server, ExitStack() as stack:
        env = {
            **scrubbed_environment(tmp_path),
            "MESSENGER_SERVER_URL": server.url,
            "MESSENGER_API_KEY": server.create_key("laptop"),
        }
        kinds = ["own", "shared"] * (_SESSIONS // 2)
        hosts = [stack.enter_context(host(env, tmp_path, kind)) for kind in kinds]
        sessions = [psutil.Process(int(host.stdout.readline())) for host in hosts if host.stdout]
        assert len(sessions) == _SESSIONS
        assert all(session.is_running() for session in sessions)
        for process in hosts:
            process.kill()
        wait_until(lambda: not any(map(is_there, sessions)), 5.0)
    entries = list((tmp_path / ".mcp-messenger" / "mailboxes").glob("*.json"))
    assert len(entries) == _SESSIONS
    assert all(json.loads(entry.read_bytes())["holder"]["closed"] for entry in entries)


def is_there(process: psutil.Process) -> bool:
    """Whether it runs; one that ended and waits to be collected does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
