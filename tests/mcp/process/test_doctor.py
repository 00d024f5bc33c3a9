"""`messenger-mcp doctor`: a line for each thing that must be right."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from messenger_mcp import doctor
from messenger_mcp.session_identity import session_fingerprint
from support.correspondents import Correspondents
from support.mcp_agent import NO_SERVER, SOME_KEY
from support.server_process import ServerProcess, scrubbed_environment
from support.watcher_process import WatcherProcess


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with ServerProcess() as running:
        yield running


@pytest.fixture
def mail(server: ServerProcess) -> Correspondents:
    return Correspondents(server)


def _doctor(home: Path, **settings: str) -> tuple[int, dict[str, str], str]:
    """The exit code, each line's state and words by its subject, and the whole text."""
    done = subprocess.run(
        [sys.executable, "-m", "messenger_mcp", "doctor"],
        env={**scrubbed_environment(home), **settings},
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert done.stderr == ""
    lines = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    found = {subject: f"{state} {words}" for state, subject, words in lines}
    assert len(found) == len(lines)
    return done.returncode, found, done.stdout


def test_a_session_with_a_watcher_is_all_right(mail: Correspondents, tmp_path: Path) -> None:
    mail.hand_off(tmp_path, host_session=session_fingerprint("s1"))
    with WatcherProcess(tmp_path, mail.watched):
        mail.until_waiting()
        code, found, text = _doctor(tmp_path, CLAUDE_CODE_SESSION_ID="s1")

    assert code == 0, text
    assert list(found) == ["settings", "server", "key", "mailbox", "watcher", "clock", "state"]
    assert all(line.startswith("ok ") for line in found.values()), text
    assert found["settings"] == "ok from the hand-off of this session"
    assert found["mailbox"] == f"ok {mail.watched} is there"
    assert mail.key not in text


def test_a_session_that_asked_to_be_interrupted_and_is_not_watched_is_wrong(
    mail: Correspondents, tmp_path: Path
) -> None:
    mail.hand_off(tmp_path, host_session=session_fingerprint("s1"))
    code, found, text = _doctor(tmp_path, CLAUDE_CODE_SESSION_ID="s1", **mail.settings())
    assert code == 1
    assert found["watcher"].startswith("WRONG not armed")
    assert mail.key not in text


def test_without_a_session_server_and_key_are_looked_at(
    mail: Correspondents, tmp_path: Path
) -> None:
    code, found, _ = _doctor(tmp_path, **mail.settings())
    assert code == 0
    assert found["settings"] == "ok from the environment"
    assert found["key"].startswith("ok ")
    assert found["mailbox"].startswith("note none is named")
    assert found["state"].startswith("note ")
    assert "watcher" not in found


def test_a_fixed_address_nobody_watches_is_a_note(mail: Correspondents, tmp_path: Path) -> None:
    code, found, _ = _doctor(tmp_path, MESSENGER_AGENT_ID=mail.watched, **mail.settings())
    assert code == 0
    assert found["watcher"].startswith("note not armed")


@pytest.mark.parametrize(
    ("settings", "subject", "words"),
    [
        ({}, "settings", "MESSENGER_SERVER_URL is not set"),
        ({"MESSENGER_TIMEOUT_MS": "x"}, "settings", "MESSENGER_TIMEOUT_MS"),
        (
            {"MESSENGER_SERVER_URL": NO_SERVER, "MESSENGER_API_KEY": SOME_KEY},
            "server",
            "connection refused",
        ),
    ],
)
def test_what_is_wrong_has_a_line_and_code_1(
    tmp_path: Path, settings: dict[str, str], subject: str, words: str
) -> None:
    code, found, text = _doctor(tmp_path, **settings)
    assert code == 1
    assert found[subject].startswith("WRONG ")
    assert words in found[subject]
    assert SOME_KEY not in text


def test_a_key_that_is_refused_is_told_from_a_server_that_is_away(
    mail: Correspondents, tmp_path: Path
) -> None:
    code, found, text = _doctor(tmp_path, **mail.settings(SOME_KEY))
    assert code == 1
    assert found["server"].startswith("ok ")
    assert found["key"].startswith("WRONG ")
    assert found["clock"].startswith("ok ")
    assert SOME_KEY not in text


def test_a_fixed_address_that_no_session_made_yet_is_no_fault(
    mail: Correspondents, tmp_path: Path
) -> None:
    code, found, _ = _doctor(tmp_path, MESSENGER_AGENT_ID="nobody-here", **mail.settings())
    assert code == 0
    assert found["mailbox"] == "note nobody-here will be registered by the first session"


@pytest.mark.parametrize(
    ("name", "is_right"), [("Planner", True), ("Coder", False)], ids=["same", "other"]
)
def test_an_agent_name_beside_that_of_the_key_is_wrong(
    mail: Correspondents, server: ServerProcess, tmp_path: Path, name: str, is_right: bool
) -> None:
    key = server.create_key(f"of the planner {name}", agent="Planner")
    code, found, _ = _doctor(tmp_path, MESSENGER_AGENT_NAME=name, **mail.settings(key))
    assert code == (0 if is_right else 1)
    assert found["agent"].startswith("ok " if is_right else "WRONG a session would be refused")


def test_a_root_of_attachments_that_is_not_there_is_wrong(
    mail: Correspondents, tmp_path: Path
) -> None:
    roots = str(tmp_path / "nowhere")
    code, found, _ = _doctor(tmp_path, MESSENGER_ATTACHMENT_ROOTS=roots, **mail.settings())
    assert code == 1
    assert roots in found["files"]


def test_a_state_folder_open_to_others_is_wrong(mail: Correspondents, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    folder.chmod(0o755)
    code, found, _ = _doctor(tmp_path, MESSENGER_STATE_DIR=str(folder), **mail.settings())
    assert code == 1
    assert "mode 0755" in found["state"]


NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("server_date", "finding"),
    [
        (format_datetime(NOW - timedelta(seconds=5), usegmt=True), "ok"),
        (format_datetime(NOW - timedelta(minutes=9), usegmt=True), "540 s ahead of"),
        (format_datetime(NOW + timedelta(minutes=2), usegmt=True), "120 s behind"),
        ("yesterday", "does not tell its time"),
        (None, "does not tell its time"),
    ],
)
def test_clocks_that_are_apart_are_told(server_date: str | None, finding: str) -> None:
    assert finding in " ".join(doctor.look_at_clock(server_date, NOW))
