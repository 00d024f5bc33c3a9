"""The page comes, and its guards see what must not happen."""

import pytest
from playwright.sync_api import Page, expect

from support.console_page import ConsolePages, Guards


def test_the_console_opens_on_its_threads(page: Page) -> None:
    expect(page.get_by_role("tab", name="Threads")).to_have_attribute("aria-selected", "true")
    for region in ("Threads", "Conversation"):
        expect(page.get_by_role("region", name=region)).to_be_visible()
    expect(page.get_by_role("complementary", name="Agents")).to_be_visible()


def test_the_front_page_leads_to_it(pages: ConsolePages) -> None:
    page = pages.open("/?tab=keys")
    expect(page).to_have_url("/ui/?tab=keys")


@pytest.mark.parametrize(
    "script",
    [
        "() => console.error('a fault')",
        "() => { setTimeout(() => { throw new Error('a fault') }) }",
        "() => { new Image().src = 'https://127.0.0.1:9/a.png' }",
        "() => { try { document.body.setAttribute('onclick', 'x()') } catch { /* refused */ } }",
        "() => { try { document.body.innerHTML = '<b>' } catch { /* refused */ } }",
        "() => fetch('/ui/session/nothing')",
    ],
)
def test_the_guards_see(pages: ConsolePages, script: str) -> None:
    page = pages.open("/ui/?tab=keys")
    guards = pages.guards(page)
    guards.are_tried()
    page.evaluate(script)
    for _ in range(100):
        if guards.faults:
            break
        page.wait_for_timeout(20)
    assert guards.faults


def test_an_expected_refusal_is_no_fault(page: Page, guards: Guards) -> None:
    guards.expect_status(404)
    page.evaluate("() => fetch('/admin/nothing')")
    assert not guards.faults
