"""The timeline's model: ranks, columns, heights, graduations, and whom one may link."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from support.console_page import ConsolePages, run
from support.fleet import Fleet

MODEL = "model/timeline.js"
MINUTE_MS = 60_000
NOON_MS = 1_780_315_200_000
"""2026-06-01 at 12:00 UTC."""


@pytest.fixture(scope="module")
def page(browser: Browser, fleet: Fleet) -> Iterator[Page]:
    """One for all tests: they only call functions without state."""
    pages = ConsolePages(browser, fleet)
    yield pages.open(signed_in=False)
    pages.close()


def _mailbox(page: Page, address: str, minutes_ago: float, agent: str | None = None) -> Any:
    created_at = page.evaluate(
        "(at) => new Date(at).toISOString()", NOON_MS - minutes_ago * MINUTE_MS
    )
    return {
        "id": address,
        "agent_name": agent,
        "display_name": None,
        "created_at": created_at,
        "last_seen_at": None,
        "watcher": {"armed": False},
    }


def _agents(page: Page, ages: dict[str, list[tuple[str, float]]]) -> list[Any]:
    return [
        {
            "agent_name": agent,
            "mailboxes": [_mailbox(page, address, age, agent) for address, age in mailboxes],
        }
        for agent, mailboxes in ages.items()
    ]


def _link(one: str, other: str) -> Any:
    ends = [{"mailbox": {"id": address}, "received_at": None} for address in (one, other)]
    return {"id": f"{one}-{other}", "mailboxes": ends, "note": None, "created_at": ""}


def test_the_newest_mailbox_has_the_first_rank_and_equal_ones_go_by_address(page: Page) -> None:
    agents = _agents(page, {"Ann": [("b", 5), ("c", 1)], "Bob": [("a", 5)]})
    ranked = run(
        page,
        MODEL,
        "(it, agents) => it.entriesOf(agents).map((each) => [each.rank, each.id])",
        agents,
    )
    assert ranked == [[1, "c"], [2, "a"], [3, "b"]]


def test_the_agent_with_the_newest_mailbox_has_the_first_column(page: Page) -> None:
    agents = _agents(page, {"Ann": [("a1", 50), ("a2", 20)], "Bob": [("b1", 2), ("b2", 40)]})
    agents.append({"agent_name": None, "mailboxes": [_mailbox(page, "alone", 10)]})
    agents.append({"agent_name": None, "mailboxes": [_mailbox(page, "other", 90)]})
    columns = run(
        page,
        MODEL,
        """(it, [agents, since]) => it.columnsOf(it.entriesOf(agents), since)
          .map(({ recent, older }) => [recent.map(({ id }) => id), older.map(({ id }) => id)])""",
        [agents, NOON_MS - 30 * MINUTE_MS],
    )
    assert columns == [[["b1"], ["b2"]], [["alone"], []], [["a2"], ["a1"]], [[], ["other"]]]


def test_marks_lie_at_their_height_unless_those_above_need_the_room(page: Page) -> None:
    entries = [{"at": NOON_MS - age * 1000} for age in (0, 100, 110, 111, 400)]
    placed = run(
        page,
        MODEL,
        """(it, [entries, base]) => it.spread(entries, { base, pxPerMs: 0.001 }, 40)
          .map(({ y, push }) => [y, push])""",
        [entries, NOON_MS],
    )
    assert placed == [[0, 0], [100, 0], [140, 30], [180, 69], [400, 0]]


@pytest.mark.parametrize("offset", [0, -120, 300, -330, -345])
@pytest.mark.parametrize("minutes", [5, 15, 30, 60, 120, 240])
def test_graduations_are_at_most_six_round_times_of_the_persons_clock(
    page: Page, minutes: int, offset: int
) -> None:
    found = run(
        page,
        MODEL,
        """(it, [now, minutes, offset]) => Array.from({ length: 300 }, (_, second) => (
          it.graduations(now + second * 1000, minutes, offset)))""",
        [NOON_MS, minutes, offset],
    )
    for second, times in enumerate(found):
        now = NOON_MS + second * 1000
        assert 1 <= len(times) <= 6
        assert all(now - minutes * MINUTE_MS < time <= now for time in times)
        steps = {earlier - later for later, earlier in zip(times[1:], times, strict=False)}
        assert len(steps) <= 1
        step = steps.pop() if steps else MINUTE_MS
        assert all((time - offset * MINUTE_MS) % step == 0 for time in times)


def test_the_window_changes_when_its_oldest_mailbox_leaves_or_a_graduation_comes(
    page: Page,
) -> None:
    agents = _agents(page, {"Ann": [("a", 29.5)]})
    script = """(it, [agents, now, minutes]) => {
      const columns = it.columnsOf(it.entriesOf(agents), now - minutes * 60000);
      return it.changesAt(columns, it.graduations(now, minutes, 0), minutes) - now;
    }"""
    assert run(page, MODEL, script, [agents, NOON_MS, 30]) == 0.5 * MINUTE_MS
    assert run(page, MODEL, script, [agents, NOON_MS + MINUTE_MS, 30]) == 4 * MINUTE_MS


def test_now_is_never_before_the_newest_mailbox(page: Page) -> None:
    agents = _agents(page, {"Ann": [("a", -2)]})
    script = "(it, [agents, clock]) => it.nowOf(it.entriesOf(agents), clock)"
    assert run(page, MODEL, script, [agents, NOON_MS]) == NOON_MS + 2 * MINUTE_MS


def test_candidates_are_ranked_by_how_likely_they_are_meant(page: Page) -> None:
    agents = _agents(
        page,
        {
            "Ann": [("chosen", 10), ("sister", 10.5)],
            "Bob": [("near", 11), ("far", 25), ("linked elsewhere", 10.1), ("partner", 9)],
            "Carla": [("old", 100), ("ancient", 500)],
        },
    )
    links = [_link("chosen", "partner"), _link("linked elsewhere", "ancient")]
    found = run(
        page,
        MODEL,
        """(it, [agents, links, minutes, now]) => {
          const entries = it.entriesOf(agents);
          const chosen = entries.find(({ id }) => id === "chosen");
          const byMailbox = it.linksByMailbox(links);
          return it.candidates(chosen, entries, byMailbox, minutes, now).map(({ id }) => id);
        }""",
        [agents, links, 30, NOON_MS],
    )
    assert found == ["near", "far", "linked elsewhere", "sister", "old", "ancient"]


def test_mailboxes_of_the_window_that_nothing_links_are_counted(page: Page) -> None:
    agents = _agents(page, {"Ann": [("a", 0), ("b", 4)], "Bob": [("c", 6), ("d", 40)]})
    script = """(it, [agents, links, minutes, now]) => (
      it.countUnlinked(it.entriesOf(agents), it.linksByMailbox(links), minutes, now))"""
    assert run(page, MODEL, script, [agents, [], 30, NOON_MS]) == 3
    assert run(page, MODEL, script, [agents, [_link("a", "d")], 30, NOON_MS]) == 2
    assert run(page, MODEL, script, [agents, [], 5, NOON_MS]) == 2


@pytest.mark.parametrize(
    ("words", "is_match"),
    [("build", True), ("NIGHT build", True), ("box_1", True), ("nightly carla", False)],
)
def test_the_filter_finds_words_of_names_and_address(
    page: Page, words: str, is_match: bool
) -> None:
    mailbox = {"id": "box_1", "agent_name": "Build Bot", "display_name": "nightly"}
    script = "(it, [mailbox, words]) => it.matches(mailbox, words)"
    assert run(page, MODEL, script, [mailbox, words]) is is_match
