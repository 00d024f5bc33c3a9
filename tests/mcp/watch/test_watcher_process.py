"""Real watchers on a real server: each message announced once, and every way to end."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from messenger_mcp.session_identity import host_session_fingerprint
from support.correspondents import Correspondents
from support.server_process import ServerProcess, scrubbed_environment, wait_until
from support.watcher_process import START_SECONDS, WatcherProcess


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for the module; no quota, the tests ask often."""
    with ServerProcess(settings={"MESSENGER_RATE_LIMIT_MAX": "0"}) as running:
        yield running


@pytest.fixture
def mail(server: ServerProcess) -> Correspondents:
    """Two fresh mailboxes."""
    return Correspondents(server)


def _ids(lines: list[str]) -> list[str]:
    return [found for line in lines for found in re.findall(r"\((msg_[0-9a-f]+)\)", line)]


def _counted(line: str) -> int:
    burst = re.match(r"\[messenger\] (\d+) new messages", line)
    return int(burst[1]) if burst else 1


def test_a_watcher_on_a_hand_off_prints_one_line_a_message(
    mail: Correspondents, tmp_path: Path
) -> None:
    mail.hand_off(tmp_path, head=2**52)
    with WatcherProcess(tmp_path, mail.watched) as watcher:
        mail.until_waiting()
        first = mail.send("One\ntwo\u2028three <system-reminder>")
        second = mail.send("Plain")
        lines = watcher.until_lines(2)

        assert lines == [
            f"[messenger] the writer — One two three system-reminder ({first})",
            f"[messenger] the writer — Plain ({second})",
        ]
        assert mail.key not in watcher.errors()
        assert watcher.errors() == ""
        assert mail.key not in str(watcher.command)


def test_a_watcher_without_address_finds_the_hand_off_of_the_hosts_session(
    mail: Correspondents, tmp_path: Path
) -> None:
    environ = {"CLAUDE_CODE_SESSION_ID": "9f2c4a01"}
    mail.hand_off(tmp_path, host_session=host_session_fingerprint(environ))
    with WatcherProcess(tmp_path, settings=environ) as watcher:
        sent = mail.send("Hello")

        assert _ids(watcher.until_lines(1)) == [sent]


def test_a_watcher_restarted_anywhere_announces_each_message_once(
    mail: Correspondents, tmp_path: Path
) -> None:
    announced: list[str] = []
    sent: list[str] = []
    mail.send("what was there before the first watcher is no news")
    for number in range(4):
        with WatcherProcess(tmp_path, mail.watched, settings=mail.settings()) as watcher:
            mail.until_waiting()
            sent.append(mail.send(f"while {number}"))
            wait_until(partial(_kept_place_is, tmp_path, mail.last_seq), START_SECONDS)
            announced += watcher.lines()
            if number % 2:
                watcher.kill()
            else:
                watcher.terminate()
        sent.append(mail.send(f"between {number}"))

    assert _ids(announced) == sent[:-1]


def test_a_watcher_killed_between_a_line_and_its_place_repeats_that_line_at_most(
    mail: Correspondents, tmp_path: Path
) -> None:
    announced: list[str] = []
    sent: list[str] = []
    mail.hand_off(tmp_path)
    for number in range(5):
        sent.append(mail.send(f"{number}"))
        with WatcherProcess(tmp_path, mail.watched) as watcher:
            wait_until(partial(_is_announced, watcher, sent[-1]), START_SECONDS)
            watcher.kill()
            announced += _ids(watcher.lines())

    assert list(dict.fromkeys(announced)) == sent
    assert all(announced.count(message_id) <= 2 for message_id in sent)


def _is_announced(watcher: WatcherProcess, message_id: str) -> bool:
    return message_id in _ids(watcher.lines())


def _kept_place_is(folder: Path, seq: int) -> bool:
    places = list((folder / ".mcp-messenger" / "watch").glob("*.cursor"))
    return bool(places) and places[0].read_text(encoding="ascii").strip() == str(seq)


def test_a_burst_of_2000_messages_gives_few_short_lines_that_count_each_once(
    mail: Correspondents, tmp_path: Path
) -> None:
    with WatcherProcess(tmp_path, mail.watched, settings=mail.settings()) as watcher:
        mail.until_waiting()
        threads = [threading.Thread(target=_send_many, args=(mail, 250)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        wait_until(lambda: sum(map(_counted, watcher.lines())) >= 2000, START_SECONDS)
        last = mail.send("the last")
        wait_until(lambda: last in _ids(watcher.lines()), START_SECONDS)
        lines = watcher.lines()

    assert sum(map(_counted, lines)) == 2001
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 400


def _send_many(mail: Correspondents, count: int) -> None:
    for number in range(count):
        mail.send(f"{number} " + "x" * 190)


def test_a_second_watcher_yields_with_code_3_and_one_sentence(
    mail: Correspondents, tmp_path: Path
) -> None:
    with WatcherProcess(tmp_path, mail.watched, settings=mail.settings()) as first:
        mail.until_waiting()
        with WatcherProcess(tmp_path, mail.watched, settings=mail.settings()) as second:
            assert second.wait() == 3
            assert second.errors().count("\n") == 1
            assert mail.watched in second.errors()
        first.kill()
        with WatcherProcess(tmp_path, mail.watched, settings=mail.settings()) as third:
            sent = mail.send("for the third")
            assert _ids(third.until_lines(1)) == [sent]


def test_a_revoked_key_ends_it_with_code_2_and_one_sentence(
    mail: Correspondents, tmp_path: Path
) -> None:
    key = mail.server.create_key("short-lived")
    with WatcherProcess(tmp_path, mail.watched, settings=mail.settings(key)) as watcher:
        mail.until_waiting()
        (key_id,) = [
            line.split()[0]
            for line in mail.server.run("keys", "list").stdout.splitlines()
            if "short-lived" in line
        ]
        assert mail.server.run("keys", "revoke", key_id).returncode == 0

        assert watcher.wait() == 2
        assert watcher.errors().count("\n") == 1
        assert "revoked" in watcher.errors()
        assert key not in watcher.errors()


def test_it_lives_on_while_the_server_is_away(tmp_path: Path) -> None:
    with ServerProcess() as server:
        mail = Correspondents(server)
        with WatcherProcess(tmp_path, mail.watched, settings=mail.settings()) as watcher:
            mail.until_waiting()
            server.kill()
            wait_until(lambda: "connection refused" in watcher.errors(), START_SECONDS)
            server.restart()
            sent = mail.send("after the restart")

            assert _ids(watcher.until_lines(1, 40)) == [sent]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_it_at_once_with_code_0(
    mail: Correspondents, tmp_path: Path, name: str
) -> None:
    with WatcherProcess(tmp_path, mail.watched, settings=mail.settings()) as watcher:
        mail.until_waiting()
        code, seconds = watcher.terminate(getattr(signal, name))

        assert code == 0
        assert seconds < 2
        assert watcher.errors() == ""


def test_it_ends_when_nobody_reads_it_any_more(mail: Correspondents, tmp_path: Path) -> None:
    with WatcherProcess(tmp_path, mail.watched, settings=mail.settings()) as watcher:
        mail.until_waiting()
        watcher.stop_reading()

        assert watcher.wait(5) == 0
        assert watcher.errors() == ""


def test_it_ends_when_its_parent_is_gone(mail: Correspondents, tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:])\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    command = [sys.executable, "-m", "messenger_mcp", "--watch", mail.watched]
    read_end, write_end = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", script, *command],
        env={**scrubbed_environment(tmp_path), **mail.settings()},
        cwd=tmp_path,
        stdout=write_end,
    ) as parent:
        os.close(write_end)
        mail.until_waiting()
        parent.kill()
    with os.fdopen(read_end, "rb") as output:
        # Its end is the end of the pipe: the watcher held it, too.
        pid = int(output.read().split()[0])
    wait_until(lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except OSError:
        return False


def test_nothing_to_watch_is_code_2_and_tells_what_is_missing(tmp_path: Path) -> None:
    with WatcherProcess(tmp_path, "box_00000000000000aa") as watcher:
        assert watcher.wait() == 2
        assert watcher.errors().count("\n") == 1
        assert "MESSENGER_SERVER_URL is not set" in watcher.errors()


def test_a_mailbox_that_is_not_there_is_code_2(mail: Correspondents, tmp_path: Path) -> None:
    with WatcherProcess(tmp_path, "box_00000000000000aa", settings=mail.settings()) as watcher:
        assert watcher.wait() == 2
        assert watcher.errors().count("\n") == 1


def test_a_server_url_with_a_path_tells_that_the_root_is_wanted(
    mail: Correspondents, tmp_path: Path
) -> None:
    settings = mail.settings()
    settings = {**settings, "MESSENGER_SERVER_URL": settings["MESSENGER_SERVER_URL"] + "/mail"}
    with WatcherProcess(tmp_path, "box_00000000000000aa", settings=settings) as watcher:
        assert watcher.wait() == 2
        assert "below the path '/mail': MESSENGER_SERVER_URL should be" in watcher.errors()
