"""The real `messenger-mcp` process on stdio: what it writes, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from support.mcp_agent import NO_SERVER, SOME_KEY
from support.server_process import ServerProcess, scrubbed_environment, wait_until

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test-host", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST_TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
WHOAMI = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {"name": "whoami", "arguments": {}},
}

NOISE = """\
import builtins, os, subprocess, sys

imported = builtins.__import__

def noisy(name, *rest, **named):
    if name in {"httpx2", "mcp_types"}:
        print("noise: print")
        print("noise: flushed", flush=True)
        sys.__stdout__.write("noise: kept in a buffer")
        os.write(1, b"noise: descriptor\\n")
        subprocess.run([sys.executable, "-S", "-c", "print('noise: child')"], env={})
    return imported(name, *rest, **named)

builtins.__import__ = noisy
"""


def environment(home: Path, url: str = NO_SERVER, key: str = SOME_KEY) -> dict[str, str]:
    return {
        **scrubbed_environment(home),
        "MESSENGER_SERVER_URL": url,
        "MESSENGER_API_KEY": key,
    }


def lines(*messages: object) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def run(
    env: Mapping[str, str], *arguments: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "messenger_mcp", *arguments],
        env=dict(env),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )


@contextmanager
def running(env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process that has answered `initialize`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "messenger_mcp"],
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        try:
            assert json.loads(ask(process, INITIALIZE))["id"] == 1
            yield process
        finally:
            process.kill()


def ask(process: subprocess.Popen[str], message: object) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines(message))
    process.stdin.flush()
    return process.stdout.readline()


def seconds_until_gone(process: subprocess.Popen[str]) -> float:
    begun = time.monotonic()
    process.wait(5)
    return time.monotonic() - begun


def test_requests_that_come_with_the_end_of_input_are_still_answered(tmp_path: Path) -> None:
    done = run(environment(tmp_path), stdin=lines(INITIALIZE, INITIALIZED, LIST_TOOLS))
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["tools"][0]["name"] == "whoami"


def test_a_library_that_prints_never_reaches_the_client(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NOISE, encoding="utf-8")
    env = environment(tmp_path) | {"PYTHONPATH": str(tmp_path)}
    done = run(env, stdin=lines(INITIALIZE, INITIALIZED, LIST_TOOLS, WHOAMI))
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["jsonrpc"] for line in done.stdout.splitlines()] == ["2.0"] * 3
    assert "noise" not in done.stdout
    for kind in ("print", "flushed", "descriptor", "child"):
        assert f"noise: {kind}" in done.stderr


def test_a_request_with_half_of_a_surrogate_pair_is_refused_rather_than_dropped(
    tmp_path: Path,
) -> None:
    broken = lines(WHOAMI).replace('"arguments": {}', '"arguments": {"a": "cut \\ud83d"}')
    done = run(environment(tmp_path), stdin=lines(INITIALIZE, INITIALIZED) + broken)
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["id"] == WHOAMI["id"]
    assert "half of a surrogate pair" in answer["error"]["message"]


@pytest.mark.parametrize("line", ["hello", '{"jsonrpc": "2.0", "id": 7, "method"', "{]"])
def test_a_line_that_is_no_json_is_answered_with_a_parse_error(tmp_path: Path, line: str) -> None:
    done = run(environment(tmp_path), stdin=lines(INITIALIZE, INITIALIZED) + line + "\n")
    answer = json.loads(done.stdout.splitlines()[-1])
    assert "id" in answer
    assert answer["id"] is None
    assert answer["error"]["code"] == -32700


def test_a_whole_surrogate_pair_is_ordinary_text(tmp_path: Path) -> None:
    paired = lines(WHOAMI).replace('"arguments": {}', '"arguments": {"a": "\\ud83d\\ude00"}')
    with running(environment(tmp_path)) as process:
        answer = json.loads(ask(process, json.loads(paired)))
    assert "There is no argument `a`" in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_at_once_with_code_0(tmp_path: Path, sign: signal.Signals) -> None:
    with running(environment(tmp_path)) as process:
        process.send_signal(sign)
        assert seconds_until_gone(process) < 0.5
        assert process.returncode == 0


def test_the_end_of_input_ends_it_at_once_with_code_0(tmp_path: Path) -> None:
    with running(environment(tmp_path)) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert seconds_until_gone(process) < 0.5
        assert process.returncode == 0


def test_a_client_that_reads_nothing_cannot_hold_the_end_up(tmp_path: Path) -> None:
    with running(environment(tmp_path)) as process:
        assert process.stdin is not None
        for _ in range(40):
            process.stdin.write(lines(LIST_TOOLS))
        process.stdin.flush()
        process.send_signal(signal.SIGTERM)
        assert seconds_until_gone(process) < 0.5
        assert process.returncode == 0


def test_a_client_that_closed_its_side_is_left_without_a_complaint(tmp_path: Path) -> None:
    with running(environment(tmp_path)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(lines(LIST_TOOLS))
        process.stdin.flush()
        assert process.wait(5) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_a_host_that_dies_leaves_no_process(tmp_path: Path) -> None:
    """Also where somebody else holds the other end of its input."""
    reading, writing = os.pipe()
    host = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys, time\n"
            "child = subprocess.Popen([sys.executable, '-m', 'messenger_mcp'])\n"
            "print(child.pid, file=sys.stderr, flush=True)\n"
            "time.sleep(60)",
        ],
        env=environment(tmp_path),
        stdin=reading,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with host, os.fdopen(writing, "w") as held:
        os.close(reading)
        assert host.stderr is not None
        assert host.stdout is not None
        orphan = psutil.Process(int(host.stderr.readline()))
        held.write(lines(INITIALIZE))
        held.flush()
        assert json.loads(host.stdout.readline())["id"] == 1
        host.kill()
        wait_until(lambda: not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"MESSENGER_SERVER_URL": ""}, "MESSENGER_SERVER_URL is not set"),
        ({"MESSENGER_API_KEY": ""}, "MESSENGER_API_KEY is not set"),
        ({"MESSENGER_API_KEY": "mk_secret with a space"}, "MESSENGER_API_KEY is no API key"),
        ({"MESSENGER_TOKEN": "old"}, "MESSENGER_TOKEN is retired"),
        ({"MESSENGER_TIMEOUT_MS": "soon"}, "MESSENGER_TIMEOUT_MS"),
    ],
)
def test_a_wrong_setting_ends_it_with_code_2_and_one_sentence(
    tmp_path: Path, changed: dict[str, str], named: str
) -> None:
    done = run(environment(tmp_path) | changed, stdin=lines(INITIALIZE))
    assert done.returncode == 2
    assert done.stdout == ""
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "secret with" not in done.stderr


def test_the_handshake_does_not_wait_for_a_server_that_is_away(tmp_path: Path) -> None:
    with running(environment(tmp_path)) as process:
        text = ask(process, WHOAMI)
        assert "Your mailbox cannot be shown: No answer from the Messenger server" in text
        assert '"isError":true' in text
        assert process.poll() is None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "server") as server:
        yield server


def test_a_key_that_the_server_does_not_know_ends_it_with_code_2(
    tmp_path: Path, server: ServerProcess
) -> None:
    with running(environment(tmp_path, server.url)) as process:
        assert process.wait(5) == 2
        assert process.stderr is not None
        said = process.stderr.read()
    assert "API key is not known" in said
    assert SOME_KEY not in said


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a pipe is set")
def test_a_refusal_does_not_cut_off_the_answers_that_are_on_their_way(
    tmp_path: Path, server: ServerProcess
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "messenger_mcp"],
        env=environment(tmp_path, server.url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        pipesize=4096,  # less than the list of tools
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(lines(INITIALIZE, INITIALIZED, LIST_TOOLS))
        process.stdin.flush()
        assert any("refuses this session" in line for line in process.stderr)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)  # it waits for its reader
        answers = [json.loads(line) for line in process.stdout]
        assert [answer["id"] for answer in answers] == [1, 2]
        assert process.wait(5) == 2


def test_an_agent_name_that_contradicts_the_key_ends_it_with_code_2(
    tmp_path: Path, server: ServerProcess
) -> None:
    key = server.create_key("laptop", agent="Planner")
    env = environment(tmp_path, server.url, key) | {"MESSENGER_AGENT_NAME": "Coder"}
    with running(env) as process:
        assert process.wait(5) == 2
        assert process.stderr is not None
        assert "agent name" in process.stderr.read().lower()


def test_the_key_stands_in_no_line_that_the_process_writes(
    tmp_path: Path, server: ServerProcess
) -> None:
    key = server.create_key("laptop")
    with running(environment(tmp_path, server.url, key)) as process:
        notify = {**WHOAMI, "params": {"name": "enable_notifications", "arguments": {}}}
        said = ask(process, WHOAMI) + ask(process, notify)
        assert "Notifications enabled" in said
        assert key not in " ".join(psutil.Process(process.pid).cmdline())
        process.terminate()
        process.wait(5)
        assert process.stderr is not None
        said += process.stderr.read()
    assert key not in said
    assert key[:12] not in said


def test_the_hand_off_goes_with_the_session(tmp_path: Path, server: ServerProcess) -> None:
    key = server.create_key("laptop")
    folder = tmp_path / ".mcp-messenger" / "watch"
    with running(environment(tmp_path, server.url, key)) as process:
        ask(process, {**WHOAMI, "params": {"name": "enable_notifications", "arguments": {}}})
        (left,) = folder.glob("*.json")
        assert left.stat().st_mode & 0o777 == 0o600
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 0
    assert list(folder.glob("*.json")) == []


def test_a_started_server_is_found_at_the_next_call(tmp_path: Path, server: ServerProcess) -> None:
    key = server.create_key("laptop")
    server.kill()
    with running(environment(tmp_path, server.url, key)) as process:
        assert "No answer" in ask(process, WHOAMI)
        server.restart()
        assert "Address: box_" in ask(process, {**WHOAMI, "id": 4})
