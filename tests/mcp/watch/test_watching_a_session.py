"""`--watch` alone: it waits for the hand-off of the host's session, and follows the session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from messenger_mcp.session_identity import session_fingerprint
from support.correspondents import Correspondents
from support.server_process import ServerProcess, wait_until
from support.watcher_process import START_SECONDS, WatcherProcess

SESSION = {"CLAUDE_CODE_SESSION_ID": "a session"}
FINGERPRINT = session_fingerprint("a session")


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with ServerProcess(settings={"MESSENGER_RATE_LIMIT_MAX": "0"}) as running:
        yield running


@pytest.fixture
def mail(server: ServerProcess) -> Correspondents:
    return Correspondents(server)


def test_a_hand_off_that_is_not_there_yet_is_waited_for(
    mail: Correspondents, tmp_path: Path
) -> None:
    with WatcherProcess(tmp_path, settings=SESSION) as watcher:
        wait_until(lambda: "Waiting for this session" in watcher.errors(), START_SECONDS)
        mail.hand_off(tmp_path, host_session=FINGERPRINT)
        mail.until_waiting()
        message = mail.send("hello")
        assert message in watcher.until_lines(1)[0]
        assert watcher.errors().count("\n") == 1


def test_while_it_waits_a_signal_or_a_reader_that_goes_ends_it_with_code_0(
    tmp_path: Path,
) -> None:
    with WatcherProcess(tmp_path, settings=SESSION) as watcher:
        wait_until(lambda: "Waiting" in watcher.errors(), START_SECONDS)
        assert watcher.terminate()[0] == 0
    with WatcherProcess(tmp_path, settings=SESSION) as watcher:
        wait_until(lambda: "Waiting" in watcher.errors(), START_SECONDS)
        watcher.stop_reading()
        assert watcher.wait() == 0


def test_a_session_that_nobody_names_is_code_2_at_once(tmp_path: Path) -> None:
    with WatcherProcess(tmp_path) as watcher:
        assert watcher.wait() == 2
        assert "No hand-off for this session" in watcher.errors()


def test_it_follows_the_session_to_another_mailbox(
    server: ServerProcess, mail: Correspondents, tmp_path: Path
) -> None:
    mail.hand_off(tmp_path, host_session=FINGERPRINT)
    with WatcherProcess(tmp_path, settings=SESSION) as watcher:
        mail.until_waiting()
        attached = Correspondents(server)
        attached.hand_off(tmp_path, host_session=FINGERPRINT, written_at_ms=2)
        attached.until_waiting()
        message = attached.send("to the other one")
        assert message in watcher.until_lines(1)[0]
        assert watcher.process.poll() is None


def test_a_named_address_is_watched_wherever_the_session_goes(
    server: ServerProcess, mail: Correspondents, tmp_path: Path
) -> None:
    mail.hand_off(tmp_path, host_session=FINGERPRINT)
    with WatcherProcess(tmp_path, mail.watched, settings=SESSION) as watcher:
        mail.until_waiting()
        Correspondents(server).hand_off(tmp_path, host_session=FINGERPRINT, written_at_ms=2)
        message = mail.send("to the first one")
        assert message in watcher.until_lines(1)[0]
