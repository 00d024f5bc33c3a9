"""Real sessions that are killed and start again: whose mailbox they work then."""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messenger_core.tools.mailboxes import NEW_ADDRESS
from messenger_mcp.handoff import find_handoff
from messenger_mcp.processes import start_time
from messenger_mcp.session_identity import session_fingerprint
from messenger_mcp.state_dir import StateDir
from support.mcp_process import McpProcess
from support.server_process import ServerProcess, wait_until

Entry = dict[str, Any]  # an entry as its file holds it

_ON_A_FULL_DISK = (
    "import resource, runpy\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (16, resource.RLIM_INFINITY))\n"
    "runpy.run_module('messenger_mcp', run_name='__main__')\n"
)


def as_a_person() -> list[str]:
    """The command of a session that has no right to write what its user may not: root may."""
    command = [sys.executable, "-m", "messenger_mcp"]
    if os.geteuid() != 0:
        return command
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root writes everywhere, and there is no setpriv to take that away")
    less = "-dac_override,-dac_read_search"
    return [setpriv, f"--bounding-set={less}", f"--inh-caps={less}", *command]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def key(server: ServerProcess) -> str:
    return server.create_key("laptop")


class Machine:
    """Starts sessions of one project, by the host's name for each."""

    def __init__(self, folder: Path, server: ServerProcess, key: str) -> None:
        self.folder = folder
        self._server = server
        self._key = key

    def start(self, host_session: str, **more: Any) -> McpProcess:
        """A session that starts; `more` is what `McpProcess` takes."""
        settings = {"MESSENGER_SESSION_KEY": host_session, **more.pop("settings", {})}
        return McpProcess(
            self.folder, url=self._server.url, key=self._key, settings=settings, **more
        )

    def killed(self, host_session: str) -> str:
        """The address of a session that worked and was killed."""
        with self.start(host_session) as session:
            session.initialize()
            address = session.address()
            wait_until(lambda: self.entry_of(address) is not None)
            session.kill()
        return address

    def found_by(self, host_session: str, **more: Any) -> tuple[str, str, str]:
        """What a session that starts now works: address, `whoami` and what its log says."""
        with self.start(host_session, **more) as session:
            session.initialize()
            address, text = session.address(), session.call("whoami")
            assert session.terminate() == 0
            return address, text, session.errors()

    def entry_of(self, address: str) -> Path | None:
        """The registry's file of a mailbox."""
        found = [path for path in self.entries() if address.encode() in path.read_bytes()]
        return found[0] if found else None

    def change_entry(self, address: str, change: Callable[[Entry], None]) -> None:
        """Rewrites what the registry keeps of a mailbox."""
        path = self.entry_of(address)
        assert path is not None
        entry = json.loads(path.read_bytes())
        change(entry)
        path.write_bytes(msgspec.json.encode(entry))

    def entries(self) -> list[Path]:
        """The registry's files."""
        return list((self.folder / ".mcp-messenger" / "mailboxes").glob("*.json"))


@pytest.fixture
def machine(tmp_path: Path, server: ServerProcess, key: str) -> Machine:
    return Machine(tmp_path, server, key)


def test_promise_7_a_session_that_was_killed_finds_its_mailbox_again(machine: Machine) -> None:
    first = machine.killed("one")
    address, text, log = machine.found_by("one")
    assert address == first
    assert NEW_ADDRESS not in text
    assert f"named by MESSENGER_SESSION_KEY: this session works its mailbox {first} again" in log
    # That one ended in order.
    assert machine.found_by("one")[0] == first


def test_promise_7_another_session_is_told_that_its_address_is_new_and_offered_the_used_one(
    machine: Machine,
) -> None:
    used, unused = machine.killed("one"), machine.killed("two")
    with machine.start("friend") as friend:
        friend.initialize()
        friend.call("send_message", to=used, subject="a", body="b")
        address, text, log = machine.found_by("three")
        assert address not in {used, unused, friend.address()}
    assert NEW_ADDRESS in text
    assert f"- {used} · no name · 1 message, 1 unread" in text
    assert unused not in text
    assert "no mailbox is found again, this session works a new one" in log


def test_promise_7_of_processes_that_start_at_the_same_instant_one_gets_the_mailbox(
    machine: Machine,
) -> None:
    first = machine.killed("one")
    with ExitStack() as stack:
        racers = [stack.enter_context(machine.start("one")) for _ in range(6)]
        for racer in racers:
            racer.initialize()
        texts = [racer.call("whoami") for racer in racers]
    given = [text.splitlines()[0].removeprefix("Address: ") for text in texts]
    assert len(set(given)) == len(racers)
    assert given.count(first) == 1
    for address, text in zip(given, texts, strict=True):
        assert (NEW_ADDRESS in text) == (address != first)


def test_a_signal_closes_the_entry_within_half_a_second(machine: Machine) -> None:
    with machine.start("one") as session:
        session.initialize()
        address = session.address()
        wait_until(lambda: machine.entry_of(address) is not None)
        begun = time.monotonic()
        assert session.terminate() == 0
        assert time.monotonic() - begun < 0.5
    path = machine.entry_of(address)
    assert path is not None
    entry = json.loads(path.read_bytes())
    assert entry["holder"]["closed"] is True
    # Neither the session nor the project stands there in clear.
    assert entry["host_sessions"] == [session_fingerprint("one")]
    assert str(machine.folder) not in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_session_returns_to_the_mailbox_that_it_attached_to_before_it_was_killed(
    machine: Machine,
) -> None:
    other = machine.killed("one")
    with machine.start("two") as session:
        session.initialize()
        own = session.address()
        assert "You work mailbox" in session.call("attach_to_mailbox", address=other)
        session.kill()
    with machine.start("two") as session:
        session.initialize()
        assert session.address() == other
        assert f"`{own}` again" in session.call("attach_to_mailbox")
        session.kill()
    assert machine.found_by("two")[0] == own


def test_a_process_that_only_lists_its_tools_leaves_nothing_behind(tmp_path: Path) -> None:
    with McpProcess(tmp_path, url="http://127.0.0.1:9", key="mk_" + "k" * 43) as session:
        session.initialize()
        assert session.terminate() == 0
    assert not list(tmp_path.rglob("*.json"))


def test_an_entry_whose_process_number_was_given_to_another_one_is_free(machine: Machine) -> None:
    first = machine.killed("one")

    def reuse(entry: Entry) -> None:
        entry["holder"]["process"]["pid"] = os.getpid()

    machine.change_entry(first, reuse)
    assert machine.found_by("one")[0] == first


def test_an_entry_whose_holder_lives_is_not_taken(machine: Machine) -> None:
    first = machine.killed("one")

    def live(entry: Entry) -> None:
        entry["holder"]["process"].update(pid=os.getpid(), started=start_time(os.getpid()))

    machine.change_entry(first, live)
    address, text, _ = machine.found_by("one")
    assert address != first
    assert NEW_ADDRESS in text


def test_a_clock_that_jumped_back_hides_no_mailbox(machine: Machine) -> None:
    """What was written before the jump lies a year ahead now."""
    first = machine.killed("one")

    def jump(entry: Entry) -> None:
        for moment in ("created_at_ms", "active_at_ms"):
            entry[moment] += 365 * 86_400_000
        entry["holder"]["beat_at_ms"] += 365 * 86_400_000

    machine.change_entry(first, jump)
    assert machine.found_by("one")[0] == first


def test_a_truncated_entry_is_left_alone_and_named_in_the_log(machine: Machine) -> None:
    first = machine.killed("one")
    path = machine.entry_of(first)
    assert path is not None
    path.write_bytes(path.read_bytes()[:100])
    address, text, log = machine.found_by("one")
    assert address != first
    assert NEW_ADDRESS in text
    assert f"The registry entry {path} is damaged; its mailbox is left alone." in log
    assert len(path.read_bytes()) == 100
    assert machine.found_by("one")[0] == address


def test_a_state_folder_that_cannot_be_made_leaves_a_session_that_works(machine: Machine) -> None:
    (machine.folder / "a-file").write_text("in the way", encoding="utf-8")
    place = {"MESSENGER_STATE_DIR": str(machine.folder / "a-file")}
    address, text, log = machine.found_by("one", settings=place)
    assert NEW_ADDRESS in text
    assert "The registry of mailboxes could not be used." in log
    assert f"The next start would not find {address} again." in log
    assert "Traceback" not in log


def test_a_read_only_folder_loses_no_mailbox(machine: Machine) -> None:
    first = machine.killed("one")
    folder = machine.folder / ".mcp-messenger" / "mailboxes"
    folder.chmod(0o500)
    try:
        address, text, log = machine.found_by("one", command=as_a_person())
    finally:
        folder.chmod(0o700)
    assert address != first
    assert NEW_ADDRESS in text
    assert "The registry of mailboxes could not be used." in log
    assert "(Permission denied)" in log
    assert "Traceback" not in log
    # Once it can be written again, nothing was lost.
    assert machine.found_by("one")[0] == first


def test_a_full_disk_loses_no_mailbox(machine: Machine) -> None:
    first = machine.killed("one")
    full = (sys.executable, "-c", _ON_A_FULL_DISK)
    address, text, log = machine.found_by("one", command=full)
    assert address != first
    assert NEW_ADDRESS in text
    assert "File too large" in log
    assert f"The next start would not find {address} again." in log
    assert "Traceback" not in log
    # Once there is room again, nothing was lost.
    assert machine.found_by("one")[0] == first


def test_where_a_monitor_looks_for_it_the_hand_off_is_there_without_a_call(
    machine: Machine,
) -> None:
    other = machine.killed("one")
    state = StateDir(machine.folder / ".mcp-messenger")
    fingerprint = session_fingerprint("two")

    def left_for(address: str) -> bool:
        handoff = find_handoff(state, host_session=fingerprint)
        return handoff is not None and handoff.address == address

    with machine.start("two", settings={"MESSENGER_HANDOFF_AT_START": "1"}) as session:
        session.initialize()
        wait_until(lambda: find_handoff(state, host_session=fingerprint) is not None)
        own = session.address()
        assert left_for(own)
        session.call("attach_to_mailbox", address=other)
        wait_until(lambda: left_for(other))
        session.call("attach_to_mailbox")
        wait_until(lambda: left_for(own))
        assert session.terminate() == 0
    assert find_handoff(state, host_session=fingerprint) is None
