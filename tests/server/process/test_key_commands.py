"""`messenger-server keys`: the life of an API key, beside a running server."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from messenger_core.times import parse_rfc3339
from messenger_server.database.opening import prepare
from support.server_process import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("keys")) as running:
        yield running


@pytest.fixture
def idle(tmp_path: Path) -> ServerProcess:
    """A server that does not run: its database does not exist yet."""
    return ServerProcess(tmp_path)


def health(server: ServerProcess, secret: str) -> httpx2.Response:
    return httpx2.get(server.url + "/health", headers={"Authorization": f"Bearer {secret}"})


def test_a_new_key_opens_the_running_server_until_it_is_revoked(server: ServerProcess) -> None:
    made = json.loads(server.run("keys", "create", "life", "--json").stdout)
    assert health(server, made["secret"]).status_code == 200

    revoked = server.run("keys", "revoke", made["key"]["id"])

    assert revoked.returncode == 0, revoked.stderr
    refusal = health(server, made["secret"])
    assert (refusal.status_code, refusal.json()["code"]) == (401, "api_key_revoked")


def test_the_secret_stands_alone_on_stdout(server: ServerProcess) -> None:
    done = server.run("keys", "create", "alone")

    assert re.fullmatch(r"mk_[A-Za-z0-9_-]{43}\n", done.stdout)
    assert "this once" in done.stderr
    assert done.stdout.strip()[3:] not in done.stderr


def test_json_gives_what_the_console_gets(server: ServerProcess) -> None:
    made = json.loads(
        server.run(
            *("keys", "create", "Reader", "--agent", "Planner", "--description", "plans"),
            *("--days", "10", "--read-only", "--vendor", "codex", "--json"),
        ).stdout
    )

    key = made["key"]
    assert made == {"key": key, "secret": made["secret"]}
    assert list(key) == [
        *("id", "name", "start", "end", "agent_name", "agent_description", "can_send", "vendor"),
        *("relay", "created_at", "expires_at", "last_used_at", "state", "replaced_by"),
        "accepted_until",
    ]
    assert re.fullmatch("key_[0-9a-f]{10,}", key["id"])
    assert (key["start"], key["end"]) == (made["secret"][:7], made["secret"][-4:])
    assert (key["name"], key["agent_name"], key["agent_description"]) == (
        *("Reader", "Planner"),
        "plans",
    )
    assert (key["can_send"], key["vendor"], key["relay"]) == (False, "codex", False)
    assert (key["state"], key["last_used_at"], key["replaced_by"]) == ("active", None, None)
    assert key["expires_at"] > key["created_at"]


@pytest.mark.parametrize(
    ("lifetime", "days"), [([], 90), (["--days", "1"], 1), (["--days", "3650"], 3650)]
)
def test_a_key_is_good_for_ninety_days_unless_said(
    server: ServerProcess, lifetime: list[str], days: int
) -> None:
    key = json.loads(server.run("keys", "create", "k", *lifetime, "--json").stdout)["key"]

    lasts = parse_rfc3339(key["expires_at"]) - parse_rfc3339(key["created_at"])
    assert lasts.total_seconds() == days * 24 * 3600


def test_a_key_may_last_for_ever(server: ServerProcess) -> None:
    key = json.loads(server.run("keys", "create", "k", "--forever", "--json").stdout)["key"]

    assert key["expires_at"] is None


def test_the_list_says_until_when_a_replaced_key_is_good(server: ServerProcess) -> None:
    made = json.loads(server.run("keys", "create", "moves on", "--forever", "--json").stdout)

    rotated = server.run("keys", "rotate", made["key"]["id"])

    assert rotated.returncode == 0, rotated.stderr
    (row,) = [
        line
        for line in server.run("keys", "list").stdout.splitlines()
        if line.startswith(made["key"]["id"])
    ]
    assert "replaced, good until 20" in row


def test_the_list_shows_every_key_and_no_secret(idle: ServerProcess) -> None:
    first = idle.create_key("planner", agent="Planner agent")
    second = json.loads(
        idle.run("keys", "create", "all\nof them", "--forever", "--read-only", "--json").stdout
    )
    idle.run("keys", "revoke", second["key"]["id"])

    done = idle.run("keys", "list")

    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split() == [
        "ID",
        "NAME",
        "KEY",
        "OPENS",
        "CREATED",
        "EXPIRES",
        "LAST",
        "USED",
        "STATE",
    ]
    assert len(rows) == 2
    by_name = {re.split(r"  +", row)[1]: re.split(r"  +", row) for row in rows}
    assert by_name["planner"][2:4] == [f"{first[:7]}…{first[-4:]}", "Planner agent"]
    assert by_name["planner"][-2:] == ["never", "active"]
    assert by_name["all\\nof them"][3] == "all agents (read-only)"
    assert by_name["all\\nof them"][-3:] == ["never", "never", "revoked"]
    assert first not in done.stdout
    assert second["secret"] not in done.stdout


def test_no_keys_yet_is_said(idle: ServerProcess) -> None:
    prepare(idle.db_path)

    done = idle.run("keys", "list")

    assert (done.returncode, done.stdout) == (0, "")
    assert "keys create" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        *(["keys", "list"], ["keys", "revoke", "key_x"], ["keys", "rotate", "key_x"]),
        *(["--reset-password"], ["upgrade"], ["upgrade", "--check"]),
    ],
)
def test_a_command_that_needs_a_database_makes_none_at_a_mistyped_path(
    idle: ServerProcess, command: list[str]
) -> None:
    done = idle.run(*command)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"there is no database at {idle.db_path}" in done.stderr
    assert not idle.db_path.parent.exists()


def test_a_key_made_before_the_first_start_opens_the_server(idle: ServerProcess) -> None:
    secret = idle.create_key("early")

    with idle:
        assert health(idle, secret).status_code == 200


def test_revoking_twice_is_no_error(server: ServerProcess) -> None:
    key = json.loads(server.run("keys", "create", "twice", "--json").stdout)["key"]

    assert server.run("keys", "revoke", key["id"]).returncode == 0
    assert server.run("keys", "revoke", key["id"]).returncode == 0


@pytest.mark.parametrize("key_id", ["key_0000000000000000", "nonsense", "", "key_'; --"])
def test_an_unknown_id_fails_with_exit_code_1(server: ServerProcess, key_id: str) -> None:
    done = server.run("keys", "revoke", key_id)

    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "key" in done.stderr.lower()


@pytest.mark.parametrize(
    "arguments",
    [
        [""],
        ["   "],
        ["\u3164\u200b"],
        ["x" * 121],
        ["k", "--agent", ""],
        ["k", "--agent", "a" * 121],
        ["k", "--description", "d" * 1001],
        ["k", "--vendor", "v" * 41],
        ["k", "--days", "0"],
        ["k", "--days", "3651"],
        ["k", "--days", "soon"],
    ],
)
def test_values_beyond_their_limits_are_wrong_use(
    server: ServerProcess, arguments: list[str]
) -> None:
    done = server.run("keys", "create", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"argument \S+: .*\b(1 to \d+)\b", done.stderr)


def test_the_longest_values_are_taken(server: ServerProcess) -> None:
    done = server.run(
        *("keys", "create", "é" * 120, "--agent", "日" * 120, "--description", "d" * 1000),
        *("--vendor", "v" * 40),
    )

    assert done.returncode == 0, done.stderr


def test_a_rotated_key_is_replaced_beside_the_running_server(server: ServerProcess) -> None:
    old = json.loads(server.run("keys", "create", "old", "--agent", "planner", "--json").stdout)

    done = server.run("keys", "rotate", old["key"]["id"])

    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"mk_[A-Za-z0-9_-]{43}\n", done.stdout)
    assert f"{old['key']['id']} is good until 2" in done.stderr
    assert done.stdout.strip()[3:] not in done.stderr
    assert health(server, done.stdout.strip()).status_code == 200
    assert health(server, old["secret"]).status_code == 200


def test_rotate_gives_json_as_create_does(server: ServerProcess) -> None:
    old = json.loads(server.run("keys", "create", "old", "--days", "7", "--json").stdout)

    new = json.loads(server.run("keys", "rotate", old["key"]["id"], "--json").stdout)

    assert set(new) == {"key", "secret"}
    assert (new["key"]["name"], new["key"]["state"]) == ("old", "active")


def test_a_key_is_rotated_once(server: ServerProcess) -> None:
    old = json.loads(server.run("keys", "create", "old", "--json").stdout)
    server.run("keys", "rotate", old["key"]["id"])

    for key_id in (old["key"]["id"], "key_0000000000000000"):
        done = server.run("keys", "rotate", key_id)
        assert (done.returncode, done.stdout) == (1, "")
        assert len(done.stderr.splitlines()) == 1
