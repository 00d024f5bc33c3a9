"""Makes the pictures of the console in `docs/images` anew, from a fleet that it makes up.

`.venv/bin/python tools/screenshots.py`; look at them before they are committed.
"""

import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.console_page import ConsolePages, chromium  # noqa: E402 (after the path is set)
from support.fleet import Fleet  # noqa: E402
from support.server_process import ServerProcess  # noqa: E402

_FOLDER: Final = ROOT / "docs" / "images"
_FINDINGS: Final = """Three tests are red since the search was changed. **One cause**: a page may
now end early.

- [x] `test_search_pages` — expects 50 rows
- [x] `test_search_counts`
- [ ] `test_export` — looks unrelated, still open

| test | since | seconds |
|:-----|:------|--------:|
| `test_search_pages` | 2f1c9a | 0.4 |
| `test_search_counts` | 2f1c9a | 0.3 |

```python
def page(rows: list[Row], limit: int) -> Page:
    return Page(rows[:limit], more=len(rows) > limit)
```

Details are in the attached log."""


def main() -> None:
    """Makes all pictures."""
    _FOLDER.mkdir(exist_ok=True)
    settings = {"MESSENGER_RATE_LIMIT_MAX": "0"}
    with ServerProcess(settings=settings) as server, chromium() as browser:
        fleet = Fleet(server)
        fleet.set_up_account()
        thread = _write(fleet)
        pages = ConsolePages(browser, fleet)
        path = f"/ui/?thread={thread}"
        _picture(pages, "light", path)
        _picture(pages, "dark", path, scheme="dark")
        _picture(pages, "french", path, locale="fr-FR", width=1000)
        _picture(pages, "narrow", "/ui/", width=390, height=760)
        _picture(pages, "links", "/ui/?tab=links")
        pages.close()
        fleet.close()


def _picture(pages: ConsolePages, name: str, path: str, **how: Any) -> None:
    page = pages.open(path, **how)
    page.locator(".thread-item, .item").first.wait_for()
    bands = page.locator(".band")
    if "thread=" in path:
        bands.nth(1).click()
        page.locator(".prose table").wait_for()
    page.screenshot(path=_FOLDER / f"console-{name}.png", animations="disabled")


def _write(fleet: Fleet) -> str:
    """The mail of a morning; the id of the thread that is shown."""
    fleet.register("planner", "Planner", display_name="roadmap")
    fleet.register("builder", "Builder", display_name="search")
    fleet.register("builder-2", "Builder", display_name="export")
    fleet.register("reviewer", "Reviewer")
    fleet.register("docs", "Docs Writer")
    fleet.register("tester", "Test Runner")
    for sender, recipient, name, text, priority in (
        ("docs", "planner", "Words of the settings page", "Is it a folder or a label?", "low"),
        ("tester", "builder-2", "Nightly run", "All green but one, see below.", "normal"),
        ("planner", "docs", "Release notes for 2.1", "Please draft them from the log.", "normal"),
        ("tester", "reviewer", "Disk is almost full", "Three per cent are left.", "urgent"),
        ("reviewer", "builder-2", "Export as CSV", "Two remarks, nothing large.", "high"),
        ("builder", "planner", "Deploy window", "Thursday would suit us better.", "normal"),
    ):
        sent = fleet.send(sender, recipient, name, text, thread_name=name, priority=priority)
        if priority in {"low", "normal"}:
            fleet.read(recipient, sent["id"])
    name = "Failing tests after the search change"
    question = "Which tests are red, and why? The release waits for them."
    asked = fleet.send(
        "planner", "builder", name, question, thread_name=name, priority="high", type="request"
    )
    fleet.read("builder", asked["id"])
    log = {"filename": "search-tests.log", "content_base64": "RkFJTEVE" * 400}
    found = fleet.send(
        "builder", "planner", "Three, one cause", _FINDINGS, reply_to=asked["id"], attachments=[log]
    )
    fleet.read("planner", found["id"])
    fleet.send("planner", "builder", "Thanks", "Take the first two.", reply_to=found["id"])
    return str(asked["thread_id"])


if __name__ == "__main__":
    main()
