"""Connections that cost too much: more than the system has room for."""

import socket
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx2
import psutil
import pytest

from support.server_process import ServerProcess, wait_until

if sys.platform == "win32":
    pytest.skip("limits of open files are POSIX", allow_module_level=True)

_FEW = 80


def _connect(server: ServerProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def test_a_full_descriptor_table_is_one_sentence_and_ends_with_its_cause(tmp_path: Path) -> None:
    limited = (sys.executable, "-c", _LIMITED)
    with ServerProcess(tmp_path, command=limited) as server, ExitStack() as held:
        for _ in range(_FEW + 40):
            held.enter_context(_connect(server))
        wait_until(lambda: "new connections have to wait" in server.log())
        process = psutil.Process(server.process.pid)
        process.cpu_percent()
        share = process.cpu_percent(interval=2.5)  # the time in which the tries would multiply

        assert share < 40
        assert f"may have {_FEW} files open" in server.log()
        assert server.log().count("new connections have to wait") == 1
        assert "could not be formatted" not in server.log()
        held.close()
        assert httpx2.get(server.url + "/health", timeout=10).status_code == 401


_LIMITED = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({_FEW}, {_FEW}))
from messenger_server.__main__ import main
main()
"""
