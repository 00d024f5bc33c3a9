"""My account: name, password, browsers that are signed in, and what was done."""

from collections.abc import Iterator
from typing import Any, get_args

import httpx2
import pytest
from playwright.sync_api import Locator, Page, expect

from messenger_server.store.audit import Action
from support.console_page import ConsolePages, Locale, run
from support.fleet import PASSWORD, USERNAME, Fleet

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def account(pages: ConsolePages) -> Page:
    """The view in English, light."""
    page = pages.open("/ui/?tab=account")
    page.get_by_role("heading", name="Signed-in browsers").wait_for()
    return page


@pytest.fixture
def elsewhere(fleet: Fleet) -> Iterator[httpx2.Client]:
    """Firefox on another machine, signed in."""
    with httpx2.Client(base_url=fleet.url, headers={"User-Agent": FIREFOX}) as client:
        body = {"username": USERNAME, "password": PASSWORD}
        assert client.post("/ui/login", json=body).is_success
        yield client


def _part(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def _is_in(client: httpx2.Client) -> bool:
    return bool(client.get("/ui/session").json()["authenticated"])


def test_the_account_menu_leads_to_it(page: Page) -> None:
    page.get_by_role("button", name="Account menu").click()
    page.get_by_role("menuitem", name="My account").click()
    expect(page.get_by_role("tabpanel", name="My account")).to_be_visible()
    expect(page).to_have_url("/ui/?tab=account")
    page.go_back()
    expect(page.get_by_role("tab", name="Threads")).to_have_attribute("aria-selected", "true")


def test_the_account_gets_another_name(account: Page) -> None:
    name = _part(account, "User name").get_by_label("User name")
    expect(name).to_have_value(USERNAME)
    try:
        name.fill("someone else")
        account.keyboard.press("Enter")
        expect(account.get_by_text("The user name is now “someone else”.").first).to_be_visible()
        did = _part(account, "What was done").get_by_role("listitem")
        expect(did.first).to_contain_text("Account renamed to “someone else”")
    finally:
        name.fill(USERNAME)
        account.keyboard.press("Enter")
    expect(account.get_by_text(f"The user name is now “{USERNAME}”.").first).to_be_visible()


def test_what_is_typed_survives_a_refresh(account: Page) -> None:
    name = _part(account, "User name").get_by_label("User name")
    name.fill("half a na")
    account.keyboard.press("ArrowLeft")
    with account.expect_response("**/admin/account"):
        run(account, "actions/refresh.js", "({ refresh }) => refresh()")
    expect(name).to_have_value("half a na")
    expect(name).to_be_focused()


def test_a_new_password_closes_the_other_sessions(
    account: Page, pages: ConsolePages, elsewhere: httpx2.Client
) -> None:
    pages.guards(account).expect_status(403)
    form = _part(account, "Password")
    current = form.get_by_label("Current password")
    current.fill("not the current one")
    form.get_by_label("New password").fill(PASSWORD)
    form.get_by_label("Repeat the password").fill(PASSWORD)
    account.keyboard.press("Enter")
    expect(current).to_have_accessible_description("The current password is wrong.")
    expect(current).to_be_focused()
    assert _is_in(elsewhere)
    current.fill(PASSWORD)
    account.keyboard.press("Enter")
    # Two scrypt hashes, on a machine that may be busy.
    expect(account.get_by_text("The password is changed").first).to_be_visible(timeout=15_000)
    expect(current).to_have_value("")
    expect(form.get_by_label("New password")).to_have_value("")
    expect(_part(account, "Signed-in browsers").get_by_role("listitem")).to_have_count(1)
    assert not _is_in(elsewhere)


def test_a_browser_is_signed_out_in_two_steps(account: Page, elsewhere: httpx2.Client) -> None:
    browsers = _part(account, "Signed-in browsers").get_by_role("listitem")
    run(account, "actions/refresh.js", "({ refresh }) => refresh()")
    other = browsers.filter(has_text="Firefox on Windows")
    expect(other).to_contain_text("127.0.0.1")
    expect(other.get_by_title(FIREFOX)).to_be_visible()
    expect(other).not_to_contain_text("This browser")
    expect(browsers.filter(has_text="This browser")).to_have_count(1)
    other.get_by_role("button", name="Sign out").click()
    other.get_by_role("button", name="Click again to sign out").press("Escape")
    assert _is_in(elsewhere)
    other.get_by_role("button", name="Sign out").click()
    other.get_by_role("button", name="Click again to sign out").click()
    expect(other).to_be_hidden()
    assert not _is_in(elsewhere)


def test_all_others_are_signed_out_at_once(account: Page, elsewhere: httpx2.Client) -> None:
    browsers = _part(account, "Signed-in browsers")
    run(account, "actions/refresh.js", "({ refresh }) => refresh()")
    browsers.get_by_role("button", name="Sign out all others").click()
    browsers.get_by_role("button", name="Click again to sign out all others").click()
    expect(browsers.get_by_role("listitem")).to_have_count(1)
    expect(browsers.get_by_role("button", name="Sign out all others")).to_be_hidden()
    assert not _is_in(elsewhere)


def test_this_browser_signs_itself_out(pages: ConsolePages) -> None:
    page = pages.open("/ui/?tab=account", signed_in=False)
    page.get_by_label("User name").fill(USERNAME)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    own = _part(page, "Signed-in browsers").get_by_role("listitem").filter(has_text="This browser")
    own.get_by_role("button", name="Sign out").click()
    own.get_by_role("button", name="Click again to sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(page).to_have_url("/ui/?tab=account")
    page.reload()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
def test_each_act_has_its_sentence(pages: ConsolePages, locale: Locale) -> None:
    page = pages.open("/ui/", locale=locale)
    events: list[dict[str, Any]] = [
        {"at": f"2026-01-01T00:00:{at:02}.000Z", "action": action, "target": None}
        for at, action in enumerate((*get_args(Action), "something_new"))
    ]
    told = [{**event, "session": None, "address": None} for event in events]
    page.route("**/admin/audit*", lambda route: route.fulfill(json={"events": told}))
    page.goto("/ui/?tab=account")
    rows = page.locator(".audit-what")
    expect(rows).to_have_count(len(events))
    sentences = [row.inner_text() for row in rows.all()]
    assert len(set(sentences)) == len(events)
    assert [sentence for sentence in sentences if "_" in sentence] == ["something_new"]


def test_a_clean_up_and_a_key_are_told_with_what_they_were_about(
    account: Page, fleet: Fleet
) -> None:
    new = {"name": "spare key", "agent_name": None, "lifetime_days": 30}
    fleet.admin("POST", "/admin/keys", new)
    address = fleet.register("short-lived", "Passing")
    body = {"mailboxes": [address], "empty": True}
    fleet.admin("POST", "/admin/mailboxes/purge", body)
    account.reload()
    did = _part(account, "What was done").get_by_role("listitem")
    expect(did.nth(0)).to_contain_text("Clean-up: 1 mailbox, 0 messages, 0 threads")
    expect(did.nth(1)).to_contain_text("API key “spare key” created")
    expect(did.nth(1)).to_contain_text("127.0.0.1")


def test_links_and_mailboxes_are_told_by_their_names(account: Page, fleet: Fleet) -> None:
    one = fleet.register("left end", "Lefty", display_name="left")
    other = fleet.register("right end", "Righty", display_name="right")
    fleet.admin("POST", "/admin/links", {"mailboxes": [one, other]})
    fleet.admin("PATCH", f"/admin/mailboxes/{one}", {"display_name": "far left"})
    account.reload()
    did = _part(account, "What was done").get_by_role("listitem")
    expect(did.nth(0)).to_contain_text("Mailbox Lefty (far left) renamed")
    expect(did.nth(1)).to_contain_text("Mailboxes linked (")
    for name in ("Lefty (far left)", "Righty (right)"):
        expect(did.nth(1)).to_contain_text(name)


def test_older_events_come_on_demand(account: Page, fleet: Fleet) -> None:
    path = f"/admin/mailboxes/{fleet.mailboxes['carla']}"
    for number in range(51):
        fleet.admin("PATCH", path, {"display_name": f"name {number}"})
    account.reload()
    trail = _part(account, "What was done")
    expect(trail.get_by_role("listitem")).to_have_count(50)
    trail.get_by_role("button", name="Show more").click()
    expect(trail.get_by_role("button", name="Show more")).to_be_hidden()
    assert trail.get_by_role("listitem").count() > 51
    # What came on demand stays when the newest are read again.
    fleet.admin("PATCH", path, {"display_name": "the last name"})
    count = trail.get_by_role("listitem").count()
    run(account, "actions/refresh.js", "({ refresh }) => refresh()")
    expect(trail.get_by_role("listitem")).to_have_count(count + 1)


def test_an_account_that_cannot_be_loaded_can_be_asked_for_again(pages: ConsolePages) -> None:
    page = pages.open("/ui/")
    pages.guards(page).expect_status(500)
    refusal = {"code": "internal_error", "request_id": "req_1"}
    page.route("**/admin/account", lambda route: route.fulfill(status=500, json=refusal))
    page.goto("/ui/?tab=account")
    expect(page.get_by_text("This could not be loaded").first).to_be_visible()
    expect(page.get_by_text("req_1").first).to_be_visible()
    page.unroute("**/admin/account")
    page.get_by_role("button", name="Try again").click()
    expect(_part(page, "User name")).to_be_visible()


def test_browsers_are_called_as_people_call_them(page: Page) -> None:
    names = {
        FIREFOX: ["Firefox", "Windows"],
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36": [
            "Chrome",
            "Linux",
        ],
        "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0": [
            "Edge",
            "Windows",
        ],
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604": [
            "Safari",
            "iPhone",
        ],
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit Version/18.0 Safari/605": [
            "Safari",
            "macOS",
        ],
        "curl/8.5.0": ["curl", None],
        "": [None, None],
    }
    script = "({ readUserAgent }, all) => all.map((each) => Object.values(readUserAgent(each)))"
    assert run(page, "model/user_agents.js", script, list(names)) == list(names.values())
