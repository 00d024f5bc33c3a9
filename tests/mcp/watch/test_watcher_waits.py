"""The watcher in this process against a peer that speaks waits: places, outages, refusals."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from messenger_mcp.handoff import HandOff, write_handoff
from messenger_mcp.outlet import Outlet
from messenger_mcp.pacing import Pace
from messenger_mcp.state_dir import StateDir
from messenger_mcp.watch import run_watcher
from support.wait_peer import Answer, WaitPeer, a_link, a_message, problem

pytestmark = pytest.mark.anyio

ADDRESS = "box_00000000000000bb"
KEY = "mk_not_to_be_seen"
QUICK = Pace(at_once=3, interval_seconds=0.02)


class Watched:
    """A watcher that runs as a task, and the pipe that it prints into."""

    def __init__(
        self, peer: WaitPeer, folder: Path, keepalive_seconds: float | None, pace: Pace
    ) -> None:
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._text = b""
        self.task = asyncio.create_task(
            run_watcher(
                environment(peer, folder),
                ADDRESS,
                outlet=Outlet(self._write_end),
                keepalive_seconds=keepalive_seconds,
                pace=pace,
            )
        )

    def lines(self) -> list[str]:
        """Every line so far."""
        try:
            while more := os.read(self._read_end, 65536):
                self._text += more
        except (BlockingIOError, OSError):
            pass
        return self._text.decode().splitlines()

    async def until_lines(self, count: int) -> list[str]:
        """The lines, once there are this many."""
        await until(lambda: len(self.lines()) >= count)
        return self.lines()

    def fill_pipe(self) -> None:
        """Writes empty lines until the pipe takes no more."""
        os.set_blocking(self._write_end, False)
        with suppress(BlockingIOError):
            while True:
                os.write(self._write_end, b"\n" * 4096)
        os.set_blocking(self._write_end, True)

    def stop_reading(self) -> None:
        """Closes the reader's end."""
        self.lines()
        os.close(self._read_end)
        self._read_end = -1

    async def close(self) -> None:
        """Ends the watcher as a signal does."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        for descriptor in (self._read_end, self._write_end):
            if descriptor >= 0:
                os.close(descriptor)


def environment(peer: WaitPeer, folder: Path) -> dict[str, str]:
    """The settings of a watcher without a hand-off."""
    return {
        "MESSENGER_STATE_DIR": str(folder),
        "MESSENGER_SERVER_URL": peer.url,
        "MESSENGER_API_KEY": KEY,
        "MESSENGER_TIMEOUT_MS": "2000",
    }


async def until(condition: Callable[[], bool]) -> None:
    """Returns once the condition holds; fails after five seconds."""
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - pipes and files tell nobody
            await asyncio.sleep(0.005)


@asynccontextmanager
async def watching(
    peer: WaitPeer, folder: Path, *, keepalive_seconds: float | None = None, pace: Pace = QUICK
) -> AsyncIterator[Watched]:
    """A watcher of the peer's mailbox, until the block ends."""
    watched = Watched(peer, folder, keepalive_seconds, pace)
    try:
        yield watched
    finally:
        await watched.close()


def waits(peer: WaitPeer) -> list[dict[str, str]]:
    """The queries of the waits that it was asked for."""
    return [asked.query for asked in peer.asked]


async def test_the_first_watcher_starts_at_the_head_of_the_moment(tmp_path: Path) -> None:
    async with WaitPeer() as peer:
        peer.put(a_message(7))
        async with watching(peer, tmp_path) as watched:
            await until(lambda: len(peer.asked) == 2)
            peer.put(a_message(8))
            lines = await watched.until_lines(1)

    assert lines == ["[messenger] planner — Refactor ready (msg_0000000008)"]
    assert waits(peer)[1]["after"] == "7"
    assert all(query["watcher"] == "true" for query in waits(peer))
    assert all(asked.target.startswith("/api/wait?") for asked in peer.asked)


async def test_with_a_hand_off_it_starts_at_the_head_that_stands_there(tmp_path: Path) -> None:
    async with WaitPeer() as peer:
        peer.put(*[a_message(seq) for seq in range(1, 8)])
        handoff = HandOff(
            server_url=peer.url,
            api_key="mk_from_the_hand_off",
            address=ADDRESS,
            head=5,
            written_at_ms=1,
            sessions=[],
        )
        write_handoff(StateDir(tmp_path), handoff)
        async with watching(peer, tmp_path) as watched:
            lines = await watched.until_lines(2)

    assert [line[-16:] for line in lines] == ["(msg_0000000006)", "(msg_0000000007)"]
    assert waits(peer)[0]["after"] == "5"
    assert peer.asked[0].headers["authorization"] == "Bearer mk_from_the_hand_off"
    assert peer.asked[0].headers["x-agent-id"] == ADDRESS


async def test_a_watcher_that_starts_again_announces_what_came_in_between_once(
    tmp_path: Path,
) -> None:
    async with WaitPeer() as peer:
        async with watching(peer, tmp_path) as watched:
            await until(lambda: len(peer.asked) == 2)
            peer.put(a_message(1))
            await watched.until_lines(1)
        peer.put(a_message(2))
        async with watching(peer, tmp_path) as watched:
            assert (await watched.until_lines(1))[0].endswith("(msg_0000000002)")
        async with watching(peer, tmp_path) as watched:
            peer.put(a_message(3))
            lines = await watched.until_lines(1)

    assert [line[-16:] for line in lines] == ["(msg_0000000003)"]


async def test_what_comes_while_no_watcher_runs_is_announced_even_before_any_line(
    tmp_path: Path,
) -> None:
    async with WaitPeer() as peer:
        async with watching(peer, tmp_path):
            await until(lambda: len(peer.asked) == 2)
        peer.put(a_message(1))
        async with watching(peer, tmp_path) as watched:
            lines = await watched.until_lines(1)

    assert len(lines) == 1


async def test_lines_that_wait_for_their_turn_are_left_to_the_next_watcher(tmp_path: Path) -> None:
    async with WaitPeer() as peer:
        async with watching(peer, tmp_path) as watched:
            await until(lambda: len(peer.asked) == 2)
            peer.put(*[a_link(seq) for seq in range(1, 41)])
            before = len(await watched.until_lines(3))
        before = len(watched.lines()) or before
        async with watching(peer, tmp_path) as again:
            lines = await again.until_lines(40 - before)

    assert len(lines) == 40 - before


async def test_links_and_messages_are_announced_in_the_order_of_the_series(tmp_path: Path) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path) as watched:
        await until(lambda: len(peer.asked) == 2)
        peer.put(a_message(1), a_link(2), a_message(3))
        lines = await watched.until_lines(3)

    assert ["linked with" in line for line in lines] == [False, True, False]


async def test_a_base_that_was_put_back_hides_nothing(tmp_path: Path) -> None:
    async with WaitPeer() as peer:
        peer.put(a_message(500))
        async with watching(peer, tmp_path):
            await until(lambda: len(peer.asked) == 2)
        peer.restore(a_message(10))
        async with watching(peer, tmp_path) as watched:
            await until(lambda: len(peer.asked) >= 3)
            peer.put(a_message(11))
            await watched.until_lines(1)
        peer.put(a_message(12))
        async with watching(peer, tmp_path) as watched:
            lines = await watched.until_lines(1)

    assert [line[-16:] for line in lines] == ["(msg_000000000c)"]


@pytest.mark.parametrize(
    "trouble",
    [
        None,
        Answer(502, b"<html>bad gateway</html>"),
        Answer(200, b"hello"),
        problem(500, "internal_error"),
        problem(503, "busy", Retry_After="0"),
        problem(429, "rate_limited"),
        problem(599, "something_new"),
    ],
)
async def test_a_server_that_fails_is_asked_again(tmp_path: Path, trouble: Answer | None) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path) as watched:
        await until(lambda: len(peer.asked) == 2)
        peer.answers = [trouble]
        peer.put(a_message(1))
        await watched.until_lines(1)
        peer.put(a_message(2))
        lines = await watched.until_lines(2)

    assert [line[-16:] for line in lines] == ["(msg_0000000001)", "(msg_0000000002)"]


async def test_retry_after_is_honoured(tmp_path: Path) -> None:
    async with WaitPeer() as peer:
        peer.answers = [problem(429, "rate_limited", Retry_After="1")]
        async with watching(peer, tmp_path):
            loop = asyncio.get_running_loop()
            await until(lambda: len(peer.asked) == 1)
            refused_at = loop.time()
            await until(lambda: len(peer.asked) >= 2)

    assert loop.time() - refused_at >= 0.95


async def test_a_server_that_goes_and_comes_back_loses_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path) as watched:
        await until(lambda: len(peer.asked) == 2)
        await peer.stop()
        await until(lambda: "connection refused" in caplog.text)
        peer.put(a_message(1))
        await peer.start()
        lines = await watched.until_lines(1)

    assert len(lines) == 1
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "api_key_revoked"),
        (401, "api_key_unknown"),
        (401, "a_code_to_come"),
        (403, "mailbox_not_yours"),
        (404, "mailbox_not_found"),
        (400, "agent_id_invalid"),
    ],
)
async def test_a_refused_key_or_mailbox_ends_it_with_code_2_and_one_sentence(
    tmp_path: Path, status: int, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with WaitPeer() as peer:
        peer.answers = [problem(status, code, "Because of this.")]
        async with watching(peer, tmp_path) as watched:
            async with asyncio.timeout(5):
                exit_code = await watched.task

    assert exit_code == 2
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"Watching `{ADDRESS}` ended: Because of this.")


async def test_a_mailbox_that_nobody_works_yet_tells_the_person_to_start_its_session(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with WaitPeer() as peer:
        peer.answers = [problem(404, "mailbox_not_registered", "call POST /api/agents/register")]
        async with watching(peer, tmp_path) as watched, asyncio.timeout(5):
            assert await watched.task == 2

    assert caplog.messages == [
        f"Watching `{ADDRESS}` ended: no session works this mailbox yet: start its agent's session "
        "first, or check the address."
    ]


async def test_a_reader_that_goes_ends_it_within_seconds_although_no_mail_comes(
    tmp_path: Path,
) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path) as watched:
        await until(lambda: len(peer.asked) == 2)
        watched.stop_reading()
        async with asyncio.timeout(5):
            exit_code = await watched.task

    assert exit_code == 0


async def test_a_reader_that_stops_reading_blocks_nothing_and_gets_merged_lines_later(
    tmp_path: Path,
) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path) as watched:
        await until(lambda: len(peer.asked) == 2)
        watched.fill_pipe()
        for seq in range(1, 101):
            peer.put(a_message(seq))
            await until(partial(_asks_after, peer, seq))
        await until(lambda: any("(msg_0000000064)" in line for line in watched.lines()))
        lines = [line for line in watched.lines() if line]

    assert sum(_counted(line) for line in lines) == 100
    assert len(lines) <= 3


async def test_a_second_watcher_yields_with_code_3(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path):
        await until(lambda: len(peer.asked) == 2)
        async with watching(peer, tmp_path) as second:
            async with asyncio.timeout(5):
                exit_code = await second.task
        asked = len(peer.asked)

    assert exit_code == 3
    assert asked == 2
    assert caplog.messages == [f"Another watcher on this machine watches `{ADDRESS}` already."]


async def test_keepalive_prints_a_line_only_when_asked_and_nothing_else_came(
    tmp_path: Path,
) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path, keepalive_seconds=0.05) as watched:
        lines = await watched.until_lines(2)

    assert set(lines) == {"[messenger] watching"}


async def test_a_wait_that_ends_at_once_with_nothing_is_not_repeated_at_once(
    tmp_path: Path,
) -> None:
    empty = Answer(200, b'{"messages":[],"links":[],"cursor":0,"timed_out":true}')
    async with WaitPeer() as peer:
        peer.answers = [empty] * 1000
        async with watching(peer, tmp_path):
            await until(lambda: len(peer.asked) >= 2)
            loop = asyncio.get_running_loop()
            begun = loop.time()
            await until(lambda: len(peer.asked) >= 4)

    assert loop.time() - begun > 0.5


async def test_a_state_folder_that_cannot_be_written_is_told_in_one_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("", encoding="utf-8")
    async with WaitPeer() as peer, watching(peer, in_the_way) as watched:
        async with asyncio.timeout(5):
            exit_code = await watched.task

    assert exit_code == 2
    assert len(caplog.messages) == 1
    assert "set MESSENGER_STATE_DIR" in caplog.text


async def test_a_place_that_cannot_be_kept_stops_no_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path) as watched:
        await until(lambda: len(peer.asked) == 2)
        (place,) = (tmp_path / "watch").glob("*.cursor")
        place.unlink()
        place.mkdir()
        (place / "in the way").mkdir()
        peer.put(a_message(1))
        await watched.until_lines(1)
        peer.put(a_message(2))
        await watched.until_lines(2)

    assert len([text for text in caplog.messages if "cannot be written" in text]) == 1


async def test_lines_that_cannot_be_written_end_it_with_code_1_and_one_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, full_disk: Outlet
) -> None:
    async with WaitPeer() as peer:
        task = asyncio.create_task(
            run_watcher(environment(peer, tmp_path), ADDRESS, outlet=full_disk)
        )
        await until(lambda: len(peer.asked) == 2)
        peer.put(a_message(1))
        async with asyncio.timeout(5):
            exit_code = await task

    assert exit_code == 1
    assert caplog.messages == ["A line cannot be written: No space left on device."]


@pytest.fixture
def full_disk() -> Iterator[Outlet]:
    """A place where nothing can be written."""
    with Path("/dev/full").open("wb", buffering=0) as device:
        yield Outlet(device.fileno())


@pytest.mark.parametrize(
    ("changed", "address", "words"),
    [
        ({}, ADDRESS, [ADDRESS, "enable_notifications", "MESSENGER_SERVER_URL is not set"]),
        ({}, None, ["this session", "MESSENGER_SERVER_URL is not set"]),
        ({"MESSENGER_SERVER_URL": "http://x"}, ADDRESS, ["MESSENGER_API_KEY is not set"]),
        (
            {"MESSENGER_SERVER_URL": "http://x", "MESSENGER_API_KEY": KEY},
            None,
            ["--watch box_…", "MESSENGER_AGENT_ID"],
        ),
        ({}, "../../etc/passwd", ["'../../etc/passwd' is no mailbox address"]),
        ({"MESSENGER_TOKEN": "old"}, ADDRESS, ["MESSENGER_TOKEN is retired"]),
        ({"MESSENGER_TIMEOUT_MS": "soon"}, ADDRESS, ["MESSENGER_TIMEOUT_MS", "'soon'"]),
    ],
)
async def test_what_is_missing_or_wrong_is_told_in_one_sentence_with_code_2(
    tmp_path: Path,
    changed: dict[str, str],
    address: str | None,
    words: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    environ = {"MESSENGER_STATE_DIR": str(tmp_path), **changed}

    code = await run_watcher(environ, address, outlet=Outlet(2))

    assert code == 2
    assert len(caplog.messages) == 1
    assert all(word in caplog.text for word in words)
    assert KEY not in caplog.text


async def test_the_environment_may_name_the_mailbox(tmp_path: Path) -> None:
    async with WaitPeer() as peer:
        environ = {**environment(peer, tmp_path), "MESSENGER_AGENT_ID": "planner"}
        task = asyncio.create_task(run_watcher(environ, None, outlet=Outlet(2)))
        await until(lambda: len(peer.asked) == 2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert peer.asked[0].headers["x-agent-id"] == "planner"


async def test_more_links_than_may_wait_are_all_announced(tmp_path: Path) -> None:
    async with WaitPeer() as peer, watching(peer, tmp_path, pace=Pace(3, 0.0001)) as watched:
        await until(lambda: len(peer.asked) == 2)
        peer.put(*[a_link(seq) for seq in range(1, 621)])
        lines = await watched.until_lines(620)

    assert len(lines) == 620


async def test_a_damaged_place_counts_as_absent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with WaitPeer() as peer:
        peer.put(a_message(7))
        async with watching(peer, tmp_path):
            await until(lambda: len(peer.asked) == 2)
        (place,) = (tmp_path / "watch").glob("*.cursor")
        place.write_bytes(b"\xffnot a place")
        async with watching(peer, tmp_path) as watched:
            await until(lambda: len(peer.asked) == 4)
            peer.put(a_message(8))
            await watched.until_lines(1)

    assert "counts as absent" in caplog.text
    assert place.read_bytes() == b"8\n"


async def test_what_was_left_behind_is_cleared_and_the_own_place_is_kept_fresh(
    tmp_path: Path,
) -> None:
    async with WaitPeer() as peer:
        async with watching(peer, tmp_path):
            await until(lambda: len(peer.asked) == 2)
        (own,) = (tmp_path / "watch").glob("*.cursor")
        left = [tmp_path / "watch" / f"left.{kind}" for kind in ("cursor", "lock", "json")]
        for path in left:
            path.write_bytes(b"1")
            os.utime(path, (1000, 1000))
        os.utime(own, (1000, 1000))
        async with watching(peer, tmp_path):
            await until(lambda: not any(path.exists() for path in left))
            await until(lambda: own.exists() and own.stat().st_mtime > 1000)


def _asks_after(peer: WaitPeer, seq: int) -> bool:
    return waits(peer)[-1].get("after") == str(seq)


def _counted(line: str) -> int:
    words = line.split()
    return int(words[1]) if words[2:4] == ["new", "messages"] else 1
