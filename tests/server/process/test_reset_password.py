"""`--reset-password`: the way back in for whoever has the machine."""

import re
from contextlib import closing
from pathlib import Path

import httpx2

from messenger_server.database.opening import prepare
from support.server_process import ServerProcess, wait_until


def set_up(server: ServerProcess) -> httpx2.Client:
    """A client that made the account and is signed in."""
    wait_until(lambda: "setup code: " in server.log())
    code = server.log().rpartition("setup code: ")[2].split()[0]
    client = httpx2.Client(base_url=server.url)
    body = {"code": code, "username": "owner", "password": "correct horse battery"}
    assert client.post("/ui/setup", json=body).status_code == 201
    return client


def sign_in(client: httpx2.Client, password: str) -> int:
    body = {"username": "owner", "password": password}
    return client.post("/ui/login", json=body).status_code


def test_it_prints_a_new_password_and_closes_every_session_of_the_running_server(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path) as server, closing(set_up(server)) as client:
        assert client.get("/admin/account").status_code == 200

        done = server.run("--reset-password")

        assert done.returncode == 0, done.stderr
        assert re.fullmatch(r"\S{12,256}\n", done.stdout)
        password = done.stdout.strip()
        assert password not in done.stderr
        assert "owner" in done.stderr
        assert client.get("/admin/account").status_code == 401
        assert sign_in(client, "correct horse battery") == 401
        assert sign_in(client, password) == 200
        events = client.get("/admin/audit").json()["events"]
        told = [(event["action"], event["session"], event["address"]) for event in events]
        assert ("password_reset", None, None) in told
        server.terminate()
        assert password not in server.log()


def test_without_an_account_it_says_what_to_do(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    prepare(server.db_path)

    done = server.run("--reset-password")

    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "no console account yet" in done.stderr


def test_promise_4_a_real_server_writes_no_secret_into_its_files_or_its_log(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path, settings={"MESSENGER_LOG_LEVEL": "debug"}) as server:
        with closing(set_up(server)) as client:
            cookies = list(client.cookies.values())
            sign_in(client, "a wrong password")
            sign_in(client, "correct horse battery")
            cookies += client.cookies.values()
            wanted = {"name": "k", "agent_name": None, "lifetime_days": 1}
            secret = client.post("/admin/keys", json=wanted).json()["secret"]
        written = {path.name: path.read_bytes() for path in server.db_path.parent.iterdir()}
        server.terminate()
        written |= {path.name: path.read_bytes() for path in server.db_path.parent.iterdir()}

    written["log"] = server.log().encode()
    secrets = ["correct horse battery", "a wrong password", secret, *cookies]
    for value in secrets:
        assert [name for name, content in written.items() if value.encode() in content] == []
