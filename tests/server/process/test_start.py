"""The start of a real server: its first lines, its files, and what refuses it."""

import json
import os
import re
import socket
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import httpx2
import psutil
import pytest

from support.server_process import ServerProcess, free_port, wait_until

posix_only = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")


def refused(server: ServerProcess, **settings: str) -> str:
    """What a second start says; it must end with code 2 and one sentence."""
    done = subprocess.run(
        [sys.executable, "-m", "messenger_server"],
        env={**server.env, **settings},
        cwd=server.folder,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def first_lines(server: ServerProcess, count: int) -> list[str]:
    """The first lines of its log, once they are there."""
    wait_until(lambda: len(server.log().splitlines()) >= count)
    return server.log().splitlines()[:count]


def test_the_first_lines_say_where_it_listens_and_who_is_let_in(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        lines = first_lines(server, 5)

    url = f"http://127\\.0\\.0\\.1:{server.port}"
    words = (
        f"INFO listening on {url} \\(loopback only\\)",
        "INFO auth: API keys on every agent request, console account on the web console",
        f"INFO web console: {url}/ui/",
        "WARN no console account yet — open the web console to create it",
        "WARN setup code: [2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}",
    )
    for line, expected in zip(lines, words, strict=True):
        assert re.fullmatch(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{{3}}Z {expected}", line)


def test_the_setup_code_in_the_log_makes_the_account_and_no_later_start_shows_one(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path) as server:
        old = first_lines(server, 5)[4].rpartition(" ")[2]
        server.restart()
        assert server.log().count("setup code: ") == 2
        new = server.log().rpartition("setup code: ")[2].split()[0]
        assert new != old
        body = {"code": old, "username": "owner", "password": "correct horse battery"}
        assert httpx2.post(server.url + "/ui/setup", json=body).status_code == 403
        made = httpx2.post(server.url + "/ui/setup", json={**body, "code": new.lower()})
        assert made.status_code == 201, made.text

        server.restart()

        shown = httpx2.get(server.url + "/ui/session", cookies=made.cookies).json()
        assert shown == {
            "authenticated": True,
            "setup_required": False,
            "user": {"username": "owner"},
        }
        server.terminate()
    assert server.log().count("setup code: ") == 2
    assert server.log().count("no console account yet") == 2


def test_promise_1_it_accepts_when_it_says_so_and_on_loopback_alone(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        assert httpx2.get(server.url + "/health").status_code == 401
        listening = [
            connection.laddr
            for connection in psutil.Process(server.process.pid).net_connections()
            if connection.status == psutil.CONN_LISTEN
        ]

    assert listening == [("127.0.0.1", server.port)]


def test_json_lines_hold_the_words_of_the_start_in_message(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, settings={"MESSENGER_LOG_FORMAT": "json"}) as server:
        lines = [json.loads(line) for line in first_lines(server, 5)]

    assert [line["message"] for line in lines[:4]] == [
        f"listening on http://127.0.0.1:{server.port} (loopback only)",
        "auth: API keys on every agent request, console account on the web console",
        f"web console: http://127.0.0.1:{server.port}/ui/",
        "no console account yet — open the web console to create it",
    ]
    assert lines[4]["message"].startswith("setup code: ")
    assert [line["level"] for line in lines] == ["info"] * 3 + ["warning"] * 2


@pytest.mark.parametrize("level", ["warning", "error"])
def test_no_level_silences_the_words_that_programs_look_for(tmp_path: Path, level: str) -> None:
    with ServerProcess(tmp_path, settings={"MESSENGER_LOG_LEVEL": level}) as server:
        httpx2.get(server.url + "/health")
        server.terminate()
        lines = server.log().splitlines()

    assert "listening on" in lines[0]
    assert "auth:" in lines[1]
    assert "web console: " in lines[2]
    assert "setup code: " in lines[4]
    assert not any("/health" in line for line in lines)


@posix_only
def test_everything_it_writes_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with ServerProcess(tmp_path) as server:
            server.create_key("planner")
            folder = server.db_path.parent
            files = {path.name: mode(path) for path in folder.iterdir()}
    finally:
        os.umask(before)

    assert mode(folder) == 0o700
    assert "messenger.db" in files
    assert "messenger.db.lock" in files
    assert "messenger.db.holder" in files
    assert set(files.values()) == {0o600}


def test_a_port_that_is_taken_is_told_in_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        sentence = refused(ServerProcess(tmp_path, port=port))

    assert f"port {port} on 127.0.0.1 is in use" in sentence
    assert "MESSENGER_PORT" in sentence
    assert not (tmp_path / "data" / "messenger.db").exists()


def test_the_port_is_free_again_at_once(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server, httpx2.Client() as client:
        client.get(server.url + "/health")
        server.kill()
        server.restart()

        assert httpx2.get(server.url + "/health").status_code == 401


def test_a_second_server_on_the_same_database_names_the_first(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        sentence = refused(server, MESSENGER_PORT=str(free_port()))

        assert f"pid {server.process.pid} on port {server.port}, since 2" in sentence
        assert httpx2.get(server.url + "/health").status_code == 401


@posix_only
def test_another_name_of_the_same_database_is_the_same_database(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        (tmp_path / "folder").symlink_to(server.db_path.parent)
        (tmp_path / "link.db").symlink_to(server.db_path)
        for name in ("folder/messenger.db", "link.db", "./data/../data/messenger.db"):
            sentence = refused(server, MESSENGER_PORT=str(free_port()), MESSENGER_DB_PATH=name)
            assert f"pid {server.process.pid}" in sentence


def test_a_killed_server_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        server.kill()
        assert (tmp_path / "data" / "messenger.db.holder").exists()

        server.restart()

        sentence = refused(server, MESSENGER_PORT=str(free_port()))
        assert f"pid {server.process.pid}" in sentence


def test_two_databases_are_served_side_by_side(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "a") as one, ServerProcess(tmp_path / "b") as other:
        assert httpx2.get(one.url + "/health").status_code == 401
        assert httpx2.get(other.url + "/health").status_code == 401


def make_foreign_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE photo (id INTEGER)")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("kind", ["sqlite", "text", "short"])
@pytest.mark.parametrize("command", [[], ["keys", "list"], ["keys", "create", "a"], ["upgrade"]])
def test_a_file_that_is_not_ours_is_refused_and_left_as_it_was(
    tmp_path: Path, kind: str, command: list[str]
) -> None:
    server = ServerProcess(tmp_path)
    server.db_path.parent.mkdir()
    if kind == "sqlite":
        make_foreign_database(server.db_path)
    else:
        server.db_path.write_bytes(b"x" if kind == "short" else b"dear diary\n" * 1000)
    before = server.db_path.read_bytes(), server.db_path.stat().st_mtime_ns

    done = server.run(*command)

    assert done.returncode == 2, done.stderr
    assert "is not a Messenger database" in done.stderr
    assert "MESSENGER_DB_PATH" in done.stderr
    assert (server.db_path.read_bytes(), server.db_path.stat().st_mtime_ns) == before
    assert [path.name for path in server.db_path.parent.iterdir()] == ["messenger.db"]


def test_a_folder_in_place_of_the_database_is_refused(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    server.db_path.mkdir(parents=True)

    assert str(server.db_path) in refused(server)
    assert list(server.db_path.iterdir()) == []


@posix_only
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "home")
    (tmp_path / "home").mkdir()
    server.db_path.parent.mkdir(mode=0o500)

    assert str(server.db_path.parent) in refused(server)


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder", encoding="utf-8")

    assert str(tmp_path / "data") in refused(ServerProcess(tmp_path))


def test_no_key_stands_in_the_log_or_the_process_list(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, settings={"MESSENGER_LOG_LEVEL": "debug"}) as server:
        secret = server.create_key("planner", agent="planner")
        headers = {"Authorization": f"Bearer {secret}"}
        assert httpx2.get(server.url + "/health", headers=headers).status_code == 200
        httpx2.get(f"{server.url}/api/messages?key={secret}", headers=headers)
        httpx2.get(f"{server.url}/{secret}", headers={"X-Messenger-Token": secret + "x"})
        process = psutil.Process(server.process.pid)
        shown = " ".join(process.cmdline()) + str(process.environ())
        server.terminate()

    assert secret not in shown
    assert secret[3:20] not in server.log()
    assert secret[-20:] not in server.log()


def test_a_second_name_of_a_database_is_refused(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        other = tmp_path / "other.db"
        os.link(server.db_path, other)

        words = refused(server, MESSENGER_DB_PATH=str(other), MESSENGER_PORT=str(free_port()))

        assert f"{other} has 2 names" in words
        assert not list(tmp_path.glob("other.db?*"))


@posix_only
def test_a_path_that_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    beside = set(Path(os.devnull).parent.glob("null*"))
    for path in (os.devnull, str(fifo), str(tmp_path)):
        assert f"{path} cannot be used as the database" in refused(server, MESSENGER_DB_PATH=path)
    assert list(tmp_path.iterdir()) == [fifo]
    assert set(Path(os.devnull).parent.glob("null*")) == beside
