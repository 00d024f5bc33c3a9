"""Who holds a database file, and what the next one is told."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from messenger_server.process_lock import DatabaseHeld, LockUnusable, hold_database
from support.server_process import ServerProcess

WHEN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "messenger.db"


def refusal(path: Path) -> str:
    with pytest.raises(DatabaseHeld) as caught, hold_database(path, "server", 3600):
        pass
    return str(caught.value)


def gone_process() -> int:
    """The number of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_a_server_is_told_which_upgrade_is_at_work(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    server.create_key("planner")

    with hold_database(server.db_path, "upgrade"):
        done = server.run()

    assert done.returncode == 2
    assert re.search(f"an upgrade with pid {os.getpid()}, since {WHEN}: stop it", done.stderr)


def test_the_lock_is_free_after_the_block(path: Path) -> None:
    with hold_database(path, "server", 3600):
        assert f"the server with pid {os.getpid()} on port 3600, since " in refusal(path)

    with hold_database(path, "server", 3600):
        assert json.loads(path.with_name("messenger.db.holder").read_bytes())["port"] == 3600


def test_a_block_that_fails_frees_the_lock(path: Path) -> None:
    with pytest.raises(RuntimeError), hold_database(path, "upgrade"):
        raise RuntimeError("migration")

    with hold_database(path, "upgrade"):
        assert "an upgrade" in refusal(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"pid": "x"}', b"\xff\xfe"])
def test_a_damaged_description_never_hides_the_refusal(path: Path, content: bytes) -> None:
    with hold_database(path, "server", 3600):
        path.with_name("messenger.db.holder").write_bytes(content)

        assert f"{path} is in use by another process" in refusal(path)


def test_a_description_that_a_killed_process_left_is_not_believed(path: Path) -> None:
    with hold_database(path, "server", 3600):
        holder = path.with_name("messenger.db.holder")
        left = json.loads(holder.read_bytes()) | {"pid": gone_process()}
        holder.write_text(json.dumps(left), encoding="utf-8")

        assert "by another process" in refusal(path)


def test_the_refused_one_leaves_the_description_of_the_holder(path: Path) -> None:
    with hold_database(path, "server", 3600):
        holder = path.with_name("messenger.db.holder")
        before = holder.read_bytes()

        refusal(path)

        assert holder.read_bytes() == before


def test_a_full_disk_is_named_with_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open = os.open

    def open_on_a_full_disk(path: Any, *arguments: Any, **options: Any) -> int:
        if ".holder." in str(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real_open(path, *arguments, **options)

    monkeypatch.setattr(os, "open", open_on_a_full_disk)
    path = tmp_path / "messenger.db"
    full = pytest.raises(LockUnusable, match=f"{path}, because the disk is full: free space")
    with full, hold_database(path, "server", 1):
        pass
