"""Damaged files, folders that cannot be written, locks that are kept: the session goes on."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from messenger_mcp.file_lock import FileLock
from messenger_mcp.registry import Registry
from messenger_mcp.state_dir import StateDir
from messenger_mcp.surroundings import ThisMachine
from support.simulated_machines import ELSEWHERE, SERVER, World, named

_HOLD_A_MAILBOX = """
import sys
from pathlib import Path
from messenger_mcp.registry import Registry
from messenger_mcp.session_identity import HostSession
from messenger_mcp.state_dir import StateDir

registry = Registry(StateDir(Path(sys.argv[1])), sys.argv[2], "project")
registry.claim(HostSession(sys.argv[3], "A_VARIABLE"))
registry.record_new("box_1")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def full_disk() -> Iterator[None]:
    """Lets no file of this process grow beyond a few bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("damage", ["truncated", "empty", "noise", "of another mailbox", "unknown"])
def test_a_damaged_entry_is_nobodys_and_blocks_nothing(
    world: World, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    world.session("s", new="box_1").close()
    damaged = world.only_entry()
    content = damaged.read_bytes()
    entry = json.loads(content)
    damaged.write_bytes(
        {
            "truncated": content[: len(content) // 2],
            "empty": b"",
            "noise": b"\xff\x00\xfe",
            "of another mailbox": json.dumps({**entry, "address": "box_9"}).encode(),
            "unknown": json.dumps({**entry, "holder": 3}).encode(),
        }[damage]
    )
    world.session("t", new="box_2").close()

    assert world.session("s").working is None
    assert world.session("t").own == "box_2"
    offered = world.session("u").registry.orphans_of_project()
    assert {orphan.address for orphan in offered} <= {"box_2"}
    assert f"The registry entry {damaged} is damaged; its mailbox is left alone." in caplog.messages


def test_a_damaged_entry_is_made_whole_by_the_session_that_holds_it(world: World) -> None:
    session = world.session("s", new="box_1")
    world.only_entry().write_bytes(b"{")
    session.registry.heartbeat()

    assert world.session("s").own is None
    session.close()
    assert world.session("s").own == "box_1"


def test_attaching_to_a_mailbox_with_a_damaged_entry_leaves_it_to_its_holder(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    owner = world.session("s", new="box_1")
    world.only_entry().write_bytes(b"{")
    guest = world.session("t")
    guest.registry.attach("box_1")
    guest.registry.heartbeat()

    assert guest.working == "box_1"
    assert "The next start may not return to box_1. Its entry is damaged" in caplog.text
    owner.registry.heartbeat()
    assert world.session("s").own is None


def test_a_removed_state_folder_is_written_again_by_the_session_that_lives(world: World) -> None:
    session = world.session("s", new="box_1")
    session.registry.attach("box_2")
    for path in list(world.entry_files()):
        path.unlink()
    session.registry.heartbeat()

    assert world.session("s").own is None
    session.die()
    assert world.session("s").working == "box_2"


def test_a_file_from_a_newer_version_is_understood(world: World) -> None:
    world.session("s", new="box_1").close()
    path = world.only_entry()
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "later": 1}), encoding="utf-8")

    assert world.session("s").own == "box_1"


def test_a_folder_that_cannot_be_made_leaves_the_session_a_new_mailbox(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "state").write_text("a file where the folder should be", encoding="utf-8")
    world = World(tmp_path / "state")
    session = world.session("s", new="box_1")
    session.registry.heartbeat()
    session.registry.heartbeat()
    session.registry.attach("box_2")
    session.registry.detach()
    session.registry.forget("box_2")
    session.close()

    assert session.own == "box_1"
    assert session.registry.orphans_of_project() == []
    assert "The registry of mailboxes could not be used. The local state" in caplog.text
    assert caplog.text.count("This session cannot be kept in the registry.") == 1


def test_without_the_lock_no_mailbox_is_taken(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.session("s", new="box_1").close()
    lock = world.state.path("mailboxes", "registry.lock")
    lock.unlink()
    lock.mkdir()

    assert world.session("s").own is None
    assert "The registry of mailboxes could not be used. The lock" in caplog.text
    lock.rmdir()
    assert world.session("s").own == "box_1"


def test_a_lock_that_is_kept_does_not_hold_up_the_end_of_a_session(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    session = world.session("s", new="box_1")
    with FileLock(world.state, world.state.path("mailboxes", "registry.lock")):
        session.close()

    assert "is kept by another process for more than 0.2 seconds" in caplog.text
    assert world.session("s").own == "box_1"


def test_a_full_disk_takes_no_mailbox_and_loses_none(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.session("s", new="box_1").close()
    with full_disk():
        session = world.session("s", new="box_2")

    assert session.own == "box_2"
    assert "The registry of mailboxes could not be used. The local state" in caplog.text
    assert "The next start would not find box_2 again." in caplog.text
    assert world.session("s").own == "box_1"
    assert not list(world.state.files("mailboxes", ".tmp"))


def test_what_a_full_disk_refused_is_written_with_a_later_heartbeat(world: World) -> None:
    with full_disk():
        session = world.session("s", new="box_1")
        session.registry.attach("box_2")
    session.registry.heartbeat()
    session.die()

    again = world.session("s")
    assert (again.own, again.working) == ("box_1", "box_2")


def test_a_return_that_a_full_disk_kept_is_undone_with_a_later_heartbeat(world: World) -> None:
    session = world.session("s", new="box_1")
    session.registry.attach("box_2")
    with full_disk():
        session.registry.detach()
    session.registry.heartbeat()
    session.die()

    assert world.session("s").working == "box_1"


def test_a_full_disk_keeps_a_mailbox_that_is_held(world: World) -> None:
    session = world.session("s", new="box_1")
    with full_disk():
        session.registry.heartbeat()

    assert world.session("s").own is None
    session.die()
    assert world.session("s").own == "box_1"


def test_a_heartbeat_missed_for_a_full_disk_counts_as_missed(world: World) -> None:
    session = world.session("s", new="box_1", place=ELSEWHERE)
    world.pass_time(400)
    with full_disk():
        session.registry.heartbeat()

    assert world.session("s").own == "box_1"


def test_a_killed_process_loses_its_mailbox_to_its_next_start(tmp_path: Path) -> None:
    host_session = named("s")
    assert host_session is not None
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD_A_MAILBOX, str(tmp_path), SERVER, host_session.fingerprint],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert _start(tmp_path).own is None

        holder.kill()
        # Ended, and not collected yet: what a container without an init process is left with.
        os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)
        assert _start(tmp_path).own == "box_1"


def test_the_real_clocks_and_process_table_know_this_process() -> None:
    machine = ThisMachine()

    assert machine.is_alive(machine.process) is True
    assert machine.awake_ms() <= machine.awake_ms()
    assert machine.now_ms() > 1_700_000_000_000


def _start(root: Path) -> Registry:
    registry = Registry(StateDir(root), SERVER, "project")
    registry.claim(named("s"))
    return registry
