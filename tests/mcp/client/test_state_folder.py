"""The state folder: private, whole files, and plain words when it cannot be used."""

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from messenger_mcp.file_lock import FileLock, is_locked, remove_unlocked
from messenger_mcp.state_dir import StateDir, StateDirError, hashed_name


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_and_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    state = StateDir(tmp_path / "deep" / "state")
    path = state.path("watch", "x.json")
    before = os.umask(0)
    try:
        state.write(path, b"one")
    finally:
        os.umask(before)

    assert _mode(path) == 0o600
    assert _mode(path.parent) == 0o700
    assert _mode(state.root) == 0o700


def test_a_folder_that_others_may_enter_is_tightened(tmp_path: Path) -> None:
    root = tmp_path / "state"
    (root / "watch").mkdir(parents=True)
    root.chmod(0o755)
    (root / "watch").chmod(0o777)

    StateDir(root).ensure("watch")

    assert (_mode(root), _mode(root / "watch")) == (0o700, 0o700)


def test_a_shared_temporary_folder_is_left_open(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)

    StateDir(tmp_path).ensure("watch")

    assert _mode(tmp_path) == 0o1777
    assert _mode(tmp_path / "watch") == 0o700


def test_a_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    path = state.path("watch", "x.json")
    state.write(path, b"one")
    state.write(path, b"two")

    assert state.read(path) == b"two"
    assert [entry.name for entry in path.parent.iterdir()] == ["x.json"]


def test_a_full_disk_leaves_the_old_file_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = StateDir(tmp_path)
    path = state.path("watch", "x.json")
    state.write(path, b"one")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StateDirError, match=r"No space left on device.*MESSENGER_STATE_DIR"):
        state.write(path, b"two")

    assert state.read(path) == b"one"
    assert [entry.name for entry in path.parent.iterdir()] == ["x.json"]


def test_a_state_folder_that_is_a_file_is_told_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"")

    with pytest.raises(StateDirError, match=r"cannot be created.*set MESSENGER_STATE_DIR"):
        StateDir(tmp_path / "state").write(tmp_path / "state" / "watch" / "x", b"")


def test_what_is_not_there_reads_as_nothing(tmp_path: Path) -> None:
    state = StateDir(tmp_path / "never made")

    assert state.read(state.path("watch", "x")) is None
    assert list(state.files("watch", ".json")) == []
    state.remove(state.path("watch", "x"))
    state.purge("watch", ".json", lambda path, written_at: True)


def test_a_purge_takes_old_files_and_what_was_left_half_written(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    names = ["old.json", "old.json.abc.tmp", "new.json", "old.cursor"]
    for name in names:
        state.write(state.path("watch", name), b"")
        if name.startswith("old"):
            os.utime(state.path("watch", name), (1000, 1000))

    state.purge("watch", ".json", lambda path, written_at: written_at < 2000)

    assert {path.name for path in (tmp_path / "watch").iterdir()} == {"new.json", "old.cursor"}


@pytest.mark.parametrize("parts", [("../../etc/passwd",), ("a", "b"), ("\x00/",), ("\ud800",)])
def test_a_name_never_becomes_a_path(parts: tuple[str, ...]) -> None:
    assert set(hashed_name(*parts)) <= set("0123456789abcdef")


def test_different_texts_have_different_names() -> None:
    assert len({hashed_name("a", "b"), hashed_name("ab"), hashed_name("b", "a")}) == 3


def test_a_lock_is_held_once_and_seen_by_others(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    path = state.path("watch", "x.lock")
    assert not is_locked(path)
    first, second = FileLock(state, path), FileLock(state, path)

    assert first.acquire()
    assert not second.acquire()
    assert is_locked(path)
    first.release()
    assert not is_locked(path)
    assert second.acquire()
    second.release()


def test_who_looks_does_not_take_the_lock(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    with FileLock(state, state.path("watch", "x.lock")) as lock:
        lock.release()
        assert not is_locked(state.path("watch", "x.lock"))
        assert lock.acquire()


def test_a_held_lock_file_is_not_removed_and_a_free_one_is(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    path = state.path("watch", "x.lock")
    with FileLock(state, path):
        remove_unlocked(path)
        assert path.exists()
    remove_unlocked(path)

    assert not path.exists()


def test_who_waited_for_a_lock_whose_file_was_removed_takes_the_new_one(tmp_path: Path) -> None:
    state = StateDir(tmp_path)
    path = state.path("watch", "x.lock")
    first, second = FileLock(state, path), FileLock(state, path)
    first.acquire()
    waiting = threading.Thread(target=second.acquire, kwargs={"wait": True})
    waiting.start()
    path.unlink()
    first.release()
    waiting.join(5)

    assert path.exists()
    assert is_locked(path)
    second.release()


def test_a_lock_in_a_folder_that_is_a_file_is_told_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "x.lock").mkdir()
    state = StateDir(tmp_path)

    with pytest.raises(StateDirError, match="set MESSENGER_STATE_DIR"):
        FileLock(state, state.path("watch", "x.lock")).acquire()


def test_a_pipe_in_place_of_a_state_file_counts_as_absent(tmp_path: Path) -> None:
    state = StateDir(tmp_path / "state")
    pipe = state.ensure("watch") / "x.json"
    os.mkfifo(pipe)
    assert state.read(pipe) is None
