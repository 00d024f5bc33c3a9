"""Figures of the console in a browser: how soon, how much, and how little when nothing changes."""

from collections.abc import Sequence
from statistics import median
from typing import Any, Final, NamedTuple

from playwright.sync_api import Page, Response

from messenger_server.web.pages import ASSETS_PATH, read_pages
from tools.bench.client import BenchFailure
from tools.bench.console import Stage, ask, console_stage, cpu_seconds, opened
from tools.bench.figures import FIGURE_BY_NAME
from tools.bench.report import Result, Round, result_of
from tools.bench.running import Bench

NAMES: Final = (
    "console_paint",
    "console_bytes",
    "console_one",
    "console_refresh",
    "console_idle",
)
"""The figures of this group, in the order they are taken."""

_PATH: Final = "/ui/"
_ROW: Final = 4
"""The row whose thread gets a message: neither the first nor the last one in sight."""
_SOURCES: Final = (".js", ".css")
_BYTES_READ: Final = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.endsWith(".js") || name.endsWith(".css"))
  .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)"""
_WATCH: Final = """() => {
  const rowOf = (node) => {
    const element = node instanceof Element ? node : node.parentElement;
    return element?.closest(".thread-item")?.querySelector("[data-thread]").dataset.thread;
  };
  window.records = 0;
  window.touched = new Set();
  new MutationObserver((records) => {
    window.records += records.length;
    for (const { target, addedNodes, removedNodes } of records) {
      for (const node of [target, ...addedNodes, ...removedNodes]) window.touched.add(rowOf(node));
    }
    window.touched.delete(undefined);
  }).observe(document, {
    attributes: true, characterData: true, childList: true, subtree: true,
  });
}"""
_IS_ON_TOP: Final = """(id) => document.querySelector("[data-thread]").dataset.thread === id"""


class _Watch(NamedTuple):
    """What was seen of a page that is left alone."""

    changes: int
    answers: int
    share: float
    """Of a core, in percent."""
    bottom: float
    """The same of a page of one line."""


def measure(bench: Bench, names: Sequence[str]) -> list[Result]:
    """The wanted figures of this group."""
    results = []
    with console_stage(bench) as stage:
        if "console_paint" in names or "console_bytes" in names:
            results += _openings(bench, stage)
        if "console_one" in names:
            rounds = [Round(_rows_touched(bench, stage)) for _ in range(bench.sizes.heavy_rounds)]
            results.append(result_of(FIGURE_BY_NAME["console_one"], rounds))
        if "console_refresh" in names or "console_idle" in names:
            results += _left_alone(bench, stage)
    return [result for result in results if result.name in names]


def _openings(bench: Bench, stage: Stage) -> list[Result]:
    """Opens the console and the page of one line in turns; the first turn warms both servers."""
    paints, sizes, again = [], [], []
    for number in range(bench.sizes.rounds + 1):
        with opened(stage, stage.floor, "/") as (_, bottom):
            pass
        with opened(stage, stage.server, _PATH) as (page, paint):
            page.wait_for_load_state("networkidle")
            size = page.evaluate(_BYTES_READ)
            page.reload(wait_until="commit")
            page.wait_for_function("() => window.paintedAt")
            cached = page.evaluate("() => window.paintedAt")
        if number > 0:
            paints.append(Round(paint, bottom))
            sizes.append(Round(size / 1000))
            again.append(cached)
    note = f"once more in the same browser: {median(again):.0f}"
    whole = f"all parts together, both languages: {_bytes_of_all_parts() / 1000:.0f}"
    return [
        result_of(FIGURE_BY_NAME["console_paint"], paints, note),
        result_of(FIGURE_BY_NAME["console_bytes"], sizes, whole),
    ]


def _bytes_of_all_parts() -> int:
    return sum(
        len(page.body)
        for path, page in read_pages().items()
        if path.startswith(ASSETS_PATH) and path.endswith(_SOURCES)
    )


def _rows_touched(bench: Bench, stage: Stage) -> int:
    """Rows of the list with a change, from a message to one thread until the page shows it.

    Raises:
        BenchFailure: the page does not show it.
    """
    with opened(stage, stage.server, _PATH) as (page, _):
        _settle(bench, page)
        thread = _thread_in_row(stage, _ROW)
        page.evaluate(_WATCH)
        _send_to(stage, thread)
        page.wait_for_function(_IS_ON_TOP, arg=thread["id"])
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        touched: list[str] = page.evaluate("() => [...window.touched]")
        if thread["id"] not in touched:
            raise BenchFailure("the row of the thread came to the top without being touched")
        return len(touched)


def _thread_in_row(stage: Stage, row: int) -> dict[str, Any]:
    cookie = {"Cookie": "{name}={value}".format(**stage.cookie)}
    page = ask(stage, "GET", f"/admin/threads?limit={row + 1}", cookie)
    thread: dict[str, Any] = page["threads"][row]
    return thread


def _send_to(stage: Stage, thread: dict[str, Any]) -> None:
    last = thread["last_message"]["from"]["id"]
    (other,) = (each["id"] for each in thread["participants"] if each["id"] != last)
    caller = {"Authorization": f"Bearer {stage.key}", "X-Agent-Id": last}
    draft = {"to": other, "subject": "news", "body": "News.", "thread_id": thread["id"]}
    ask(stage, "POST", "/api/messages", caller, draft)


def _left_alone(bench: Bench, stage: Stage) -> list[Result]:
    seen = [_watch(bench, stage) for _ in range(bench.sizes.heavy_rounds)]
    changes = [Round(watch.changes) for watch in seen]
    answers = f"{sum(watch.answers for watch in seen)} answers in all"
    shares = [Round(watch.share) for watch in seen]
    bottom = f"with a page of one line: {median(watch.bottom for watch in seen):.2g}"
    return [
        result_of(FIGURE_BY_NAME["console_refresh"], changes, answers),
        result_of(FIGURE_BY_NAME["console_idle"], shares, bottom),
    ]


def _watch(bench: Bench, stage: Stage) -> _Watch:
    """Leaves the page of one line alone, and then the console.

    Raises:
        BenchFailure: the console asked for nothing.
    """
    seconds = bench.sizes.console_idle_seconds
    with opened(stage, stage.floor, "/") as (page, _):
        _settle(bench, page)
        bottom = _share(stage, page, seconds)
    with opened(stage, stage.server, _PATH) as (page, _):
        _settle(bench, page)
        statuses: list[int] = []

        def note(answer: Response) -> None:
            statuses.append(answer.status)

        page.on("response", note)
        page.evaluate(_WATCH)
        share = _share(stage, page, seconds)
        records: int = page.evaluate("() => window.records")
        if not statuses:
            raise BenchFailure("the console does not refresh itself")
        others = sum(status != 304 for status in statuses)
        return _Watch(records + others, len(statuses), share, bottom)


def _settle(bench: Bench, page: Page) -> None:
    page.wait_for_timeout(bench.sizes.console_settle_seconds * 1000)


def _share(stage: Stage, page: Page, seconds: float) -> float:
    """How much of a core the browser takes in this time, in percent."""
    before = cpu_seconds(stage.browser)
    page.wait_for_timeout(seconds * 1000)
    return (cpu_seconds(stage.browser) - before) / seconds * 100
