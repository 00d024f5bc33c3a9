"""Hand-offs: found by address or session, kept while a session holds them, purged after a week."""

import os
import stat
import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

from messenger_mcp.handoff import (
    HandOff,
    LocalSession,
    find_handoff,
    purge_handoffs,
    release_handoff,
    write_handoff,
)
from messenger_mcp.processes import this_process
from messenger_mcp.session_identity import host_session_fingerprint
from messenger_mcp.state_dir import StateDir

ADDRESS = "box_00000000000000aa"
URL = "http://127.0.0.1:3600"
HOST_SESSION = host_session_fingerprint({"CLAUDE_CODE_SESSION_ID": "a session"})
OURS = LocalSession(process=this_process(), host_session=HOST_SESSION)
ELSEWHERE = replace(OURS, process=replace(OURS.process, place="elsewhere"))
DEAD = replace(OURS, process=replace(OURS.process, started="1"))


def _handoff(*sessions: LocalSession, address: str = ADDRESS, url: str = URL) -> HandOff:
    return HandOff(
        server_url=url,
        api_key="mk_secret",
        address=address,
        head=7,
        written_at_ms=1_000,
        sessions=list(sessions),
    )


def test_a_hand_off_is_found_by_its_address(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    write_handoff(state, _handoff(OURS))
    write_handoff(state, _handoff(OURS, address="box_00000000000000bb"))

    assert find_handoff(state, address=ADDRESS) == _handoff(OURS)
    assert find_handoff(state, address="box_00000000000000cc") is None


def test_a_hand_off_is_found_by_the_hosts_session(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    write_handoff(state, _handoff(OURS))
    write_handoff(state, _handoff(replace(OURS, host_session=None), address="planner"))

    assert find_handoff(state, host_session=HOST_SESSION) == _handoff(OURS)
    assert find_handoff(state, host_session="another") is None
    assert find_handoff(state) is None


def test_of_two_servers_the_named_one_is_preferred_and_else_the_latest(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    write_handoff(state, replace(_handoff(url="http://one", address="p"), written_at_ms=2_000))
    write_handoff(state, _handoff(url="http://two", address="p"))

    latest = find_handoff(state, address="p")
    named = find_handoff(state, address="p", server_url="http://two")

    assert latest is not None
    assert latest.server_url == "http://one"
    assert named is not None
    assert named.server_url == "http://two"


def test_a_hand_off_is_private_and_its_name_tells_nothing(tmp_path: Path) -> None:
    path = write_handoff(StateDir(tmp_path), _handoff(OURS))

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.parent == tmp_path / "watch"
    assert ADDRESS not in path.name


def test_the_key_is_not_in_a_hand_offs_representation() -> None:
    assert "mk_secret" not in repr(_handoff(OURS))


def test_the_last_local_session_takes_it_away(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    path = write_handoff(state, _handoff(ELSEWHERE))
    write_handoff(state, _handoff(OURS))

    release_handoff(state, URL, ADDRESS, OURS.process)
    assert find_handoff(state, address=ADDRESS) == _handoff(ELSEWHERE)
    release_handoff(state, URL, ADDRESS, ELSEWHERE.process)

    assert not path.exists()
    release_handoff(state, URL, ADDRESS, OURS.process)


def test_a_session_that_died_does_not_keep_it(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    path = write_handoff(state, _handoff(DEAD, OURS))

    release_handoff(state, URL, ADDRESS, OURS.process)

    assert not path.exists()


def test_written_again_it_carries_what_is_new_and_the_session_once(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    write_handoff(state, _handoff(OURS))
    write_handoff(state, _handoff(DEAD))
    write_handoff(state, replace(_handoff(OURS), head=9, api_key="mk_new"))

    assert find_handoff(state, address=ADDRESS) == replace(_handoff(OURS), head=9, api_key="mk_new")


def test_sessions_that_come_at_the_same_instant_lose_none(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    sessions = [
        replace(OURS, process=replace(OURS.process, pid=pid, place="elsewhere"))
        for pid in range(1, 9)
    ]
    threads = [
        threading.Thread(target=write_handoff, args=(state, _handoff(session)))
        for session in sessions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)

    found = find_handoff(state, address=ADDRESS)
    assert found is not None
    assert sorted(session.process.pid for session in found.sessions) == list(range(1, 9))


@pytest.mark.parametrize("content", [b"", b"{", b'{"server_url": 1}', b"\xff\xfe", b"null"])
def test_a_damaged_hand_off_counts_as_absent(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    state = StateDir(tmp_path)
    path = write_handoff(state, _handoff(OURS))
    path.write_bytes(content)

    assert find_handoff(state, address=ADDRESS) is None
    assert "counts as absent" in caplog.text
    assert write_handoff(state, _handoff(OURS)) == path
    assert find_handoff(state, address=ADDRESS) == _handoff(OURS)


def test_what_was_left_behind_goes_after_seven_days(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    day = 24 * 3600.0
    left, held, young = (
        write_handoff(state, _handoff(session, address=address))
        for session, address in ((DEAD, "left"), (OURS, "held"), (DEAD, "young"))
    )
    for path, written_at in ((left, 0), (held, 0), (young, day)):
        os.utime(path, (written_at, written_at))

    purge_handoffs(state, now_seconds=7 * day + 1)

    assert [path.exists() for path in (left, held, young)] == [False, True, True]


def test_the_strongest_variable_names_the_hosts_session_and_its_id_is_not_kept() -> None:
    both = {"MESSENGER_SESSION_KEY": "mine", "CLAUDE_CODE_SESSION_ID": "theirs"}

    assert host_session_fingerprint(both) == host_session_fingerprint(
        {"MESSENGER_SESSION_KEY": "mine"}
    )
    assert "mine" not in str(host_session_fingerprint(both))
    assert host_session_fingerprint({"CODEX_THREAD_ID": " "}) is None
