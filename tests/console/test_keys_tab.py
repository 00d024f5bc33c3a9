"""API keys in the console: made, shown once, changed, replaced, revoked."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from support.console_page import ConsolePages, Guards, Locale, axe, run, screenshot
from support.fleet import Fleet


def test_the_life_of_a_key(pages: ConsolePages, guards: Guards, fleet: Fleet) -> None:
    page = pages.open("/ui/?tab=keys")
    window = new_key(page, "Planner’s key")
    window.get_by_label("Agent name").fill("Planner")
    window.get_by_role("button", name="Create the key").click()
    secret = shown_secret(page)
    registered = fleet.ask("POST", "/api/agents/register", bearer(secret), {})
    address = registered["mailbox"]["id"]
    close_secret(page)

    window = key_window(page, "Planner’s key")
    expect(window.get_by_role("listitem")).to_contain_text(address)
    window.get_by_label("Name").fill("Planner, renamed")
    window.get_by_label("Agent description").fill("Plans the releases.")
    window.get_by_role("button", name="Save").click()
    expect(window.get_by_text("Saved")).to_be_visible()
    expect(window.get_by_role("heading", level=2)).to_have_text("Planner, renamed")
    before = fact(window, "Expires").inner_text()
    window.get_by_label("Extend by").select_option("1 year")
    window.get_by_role("button", name="Extend").click()
    expect(fact(window, "Expires")).not_to_have_text(before)

    window.get_by_role("button", name="Replace").click()
    new_secret = shown_secret(page)
    assert new_secret != secret
    expect(page.get_by_role("dialog")).to_contain_text("24 hours")
    expect(page.get_by_role("dialog")).to_contain_text("--force")
    close_secret(page)
    rows = page.get_by_role("row", name="Planner, renamed")
    expect(rows.filter(has_text="Replaced, good until")).to_have_count(1)
    expect(rows.filter(has_text="Active")).to_have_count(1)

    rows.filter(has_text="Active").get_by_role("button").click()
    window = page.get_by_role("dialog")
    expect(window.get_by_role("listitem")).to_contain_text(address)
    window.get_by_role("button", name="Revoke").click()
    window.get_by_role("button", name="Click again").click()
    expect(fact(window, "State")).to_have_text("Revoked")
    expect(window.get_by_role("button", name="Replace")).to_be_hidden()
    expect(window.get_by_role("button", name="Save")).to_be_hidden()
    expect(window.get_by_role("textbox")).to_have_count(0)
    answer = fleet.client.get("/api/agents", headers=bearer(new_secret))
    assert answer.status_code == 401


def test_a_secret_is_shown_until_it_was_copied_or_given_up(page: Page) -> None:
    page.get_by_role("tab", name="API keys").click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for is_copied in (False, True):
        window = new_key(page, "Shown once")
        window.get_by_label("Agent name").fill("Once")
        window.get_by_role("button", name="Create the key").click()
        secret = shown_secret(page)
        for _ in range(3):
            page.keyboard.press("Escape")
        expect(window).to_contain_text(secret)
        if is_copied:
            window.get_by_role("button", name="Copy Secret").click()
            assert page.evaluate("() => navigator.clipboard.readText()") == secret
            window.get_by_role("button", name="Close").click()
        else:
            window.get_by_role("button", name="Close").click()
            expect(window).to_contain_text("Nothing was copied")
            window.get_by_role("button", name="Stay").click()
            expect(window).to_contain_text(secret)
            close_secret(page)
        expect(page.locator("dialog")).to_have_count(0)
        assert secret not in page.content()


def test_the_blocks_are_ready_to_paste(page: Page, fleet: Fleet) -> None:
    page.get_by_role("tab", name="API keys").click()
    for is_bound in (True, False):
        window = new_key(page, "Pasted")
        if is_bound:
            window.get_by_label("Agent name").fill("Pasted")
        else:
            window.get_by_role("radio", name="opens every mailbox").check()
            expect(window.get_by_label("Agent name")).to_be_hidden()
        window.get_by_role("button", name="Create the key").click()
        secret = shown_secret(page)
        texts = window.locator("pre").all_inner_texts()
        env = {"MESSENGER_SERVER_URL": fleet.url, "MESSENGER_API_KEY": secret}
        if not is_bound:
            env |= {"MESSENGER_AGENT_NAME": "", "MESSENGER_AGENT_DESCRIPTION": ""}
            expect(window).to_contain_text("fill in the agent’s name")
        entry = {"command": "uvx", "args": ["messenger-mcp"], "env": env}
        assert json.loads(texts[2]) == {"mcpServers": {"messenger": entry}}
        assert texts[1] == (
            f"MESSENGER_API_KEY={secret} uvx messenger-mcp --claude-setup-mcp"
            f" --server-url {fleet.url}"
        )
        expect(window).to_contain_text("It will not be shown again")
        expect(window).to_contain_text("after a leak replace or revoke it")
        close_secret(page)


def test_what_is_missing_or_refused_is_said_at_its_field(page: Page, guards: Guards) -> None:
    page.get_by_role("tab", name="API keys").click()
    page.get_by_role("button", name="New API key").click()
    window = page.get_by_role("dialog")
    window.get_by_role("button", name="Create the key").click()
    name, agent = window.get_by_label("Name", exact=True), window.get_by_label("Agent name")
    expect(name).to_be_focused()
    for field in (name, agent):
        expect(field).to_have_attribute("aria-invalid", "true")
    name.fill("A name")
    expect(name).not_to_have_attribute("aria-invalid", "true")
    agent.fill("x")
    # What the server alone can know.
    agent.evaluate("(input) => { input.removeAttribute('maxlength') }")
    agent.fill("x" * 121)
    guards.expect_status(400)
    window.get_by_role("button", name="Create the key").click()
    expect(agent).to_have_attribute("aria-invalid", "true")
    expect(agent).to_be_focused()
    expect(window.locator(".field-error", has_text="120")).to_be_visible()


def test_rarer_settings_are_under_more(page: Page, fleet: Fleet) -> None:
    page.get_by_role("tab", name="API keys").click()
    window = new_key(page, "Reader only")
    window.get_by_label("Agent name").fill("Reader")
    window.get_by_label("Lifetime").select_option("No end")
    window.get_by_text("More", exact=True).click()
    window.get_by_label("May send").uncheck()
    window.get_by_label("Vendor").fill("acme")
    window.get_by_role("button", name="Create the key").click()
    shown_secret(page)
    close_secret(page)
    key = named(fleet, "Reader only")
    assert (key["can_send"], key["vendor"], key["expires_at"]) == (False, "acme", None)
    expect(page.get_by_role("row", name="Reader only")).to_contain_text("never")


def test_half_typed_fields_survive_a_refresh(page: Page, fleet: Fleet) -> None:
    made = make(fleet, "Half typed", 90)
    page.get_by_role("tab", name="API keys").click()
    window = key_window(page, "Half typed")
    window.get_by_label("Name").fill("Half ty")
    fleet.admin("PATCH", f"/admin/keys/{made['id']}", {"name": "Renamed elsewhere"})
    refresh(page)
    expect(window.get_by_role("heading", level=2)).to_have_text("Renamed elsewhere")
    expect(window.get_by_label("Name")).to_have_value("Half ty")
    expect(window.get_by_label("Name")).to_be_focused()


def test_a_refresh_touches_the_row_that_changed_alone(page: Page, fleet: Fleet) -> None:
    kept = make(fleet, "Kept as it is", 90)
    changed = make(fleet, "To be changed", 90)
    page.get_by_role("tab", name="API keys").click()
    expect(page.get_by_role("row", name="To be changed")).to_be_visible()
    page.evaluate(
        """() => {
          window.touched = [];
          const panel = document.querySelector(".panel-keys");
          const rowOf = (node) => (node.closest ? node : node.parentElement).closest("tr");
          new MutationObserver((all) => {
            window.touched.push(...all.map((one) => rowOf(one.target)?.innerText ?? "no row"));
          }).observe(panel, {
            subtree: true, childList: true, attributes: true, characterData: true,
          });
        }"""
    )
    refresh(page)
    assert page.evaluate("() => window.touched") == []
    fleet.admin("PATCH", f"/admin/keys/{changed['id']}", {"name": "Changed"})
    refresh(page)
    expect(page.get_by_role("row", name="Changed")).to_be_visible()
    touched = page.evaluate("() => window.touched")
    assert touched
    assert all("Changed" in text for text in touched)
    assert kept["name"] not in str(touched)


def test_what_ends_soon_and_what_has_ended_is_marked(page: Page, fleet: Fleet) -> None:
    make(fleet, "Ends soon", 3)
    make(fleet, "Ends late", 30)
    page.get_by_role("tab", name="API keys").click()
    expect(page.get_by_role("row", name="Ends soon")).to_contain_text("Expires soon")
    expect(page.get_by_role("row", name="Ends late")).to_contain_text("Active")
    look = {"state": "expired", "expires_at": "2026-01-02T03:04:05Z"}
    keys = [{**named(fleet, "Ends late"), **look}]
    page.route("**/admin/keys", lambda route: route.fulfill(json={"keys": keys}))
    refresh(page)
    expect(page.get_by_role("row", name="Ends late")).to_contain_text("Expired")


def test_a_key_that_was_revoked_elsewhere_is_said_to_be(
    page: Page, guards: Guards, fleet: Fleet
) -> None:
    made = make(fleet, "Revoked elsewhere", 90)
    page.get_by_role("tab", name="API keys").click()
    page.get_by_role("checkbox", name="Auto-refresh").uncheck()
    window = key_window(page, "Revoked elsewhere")
    fleet.admin("POST", f"/admin/keys/{made['id']}/revoke")
    guards.expect_status(409)
    for button in ("Extend", "Replace"):
        window.get_by_role("button", name=button).click()
        told = window.get_by_role("alert").filter(has_text="revoked or replaced meanwhile")
        expect(told.first).to_be_visible()


def test_without_a_key_the_tab_says_what_one_is_for(pages: ConsolePages) -> None:
    page = pages.open("/ui/")
    page.route("**/admin/keys", lambda route: route.fulfill(json={"keys": []}))
    page.get_by_role("tab", name="API keys").click()
    panel = page.get_by_role("tabpanel", name="API keys")
    expect(panel).to_contain_text("An agent needs a key")
    screenshot(page, "keys-none")
    panel.get_by_role("button", name="New API key").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_keys_that_cannot_be_read_can_be_tried_again(page: Page, guards: Guards) -> None:
    guards.expect_status(500)
    broken = {"code": "internal_error", "request_id": "abc"}
    page.route("**/admin/keys", lambda route: route.fulfill(status=500, json=broken))
    page.get_by_role("tab", name="API keys").click()
    panel = page.get_by_role("tabpanel", name="API keys")
    expect(panel).to_contain_text("abc")
    page.unroute("**/admin/keys")
    panel.get_by_role("button", name="Try again").click()
    expect(panel.get_by_role("table")).to_be_visible()


def test_while_the_server_is_away_the_keys_stay(page: Page, guards: Guards, fleet: Fleet) -> None:
    make(fleet, "Still there", 90)
    page.get_by_role("tab", name="API keys").click()
    expect(page.get_by_role("row", name="Still there")).to_be_visible()
    guards.expect_away()
    page.route("**/admin/**", lambda route: route.abort())
    refresh(page)
    expect(page.get_by_role("banner").get_by_text("does not answer")).to_be_visible()
    expect(page.get_by_role("row", name="Still there")).to_be_visible()
    window = new_key(page, "Not now")
    window.get_by_label("Agent name").fill("Later")
    window.get_by_role("button", name="Create the key").click()
    expect(window.get_by_role("alert")).to_contain_text("does not answer")
    expect(window.get_by_label("Name", exact=True)).to_have_value("Not now")


def test_a_key_opens_by_keyboard_and_by_a_click_on_its_row(page: Page, fleet: Fleet) -> None:
    make(fleet, "By keyboard", 90)
    page.get_by_role("tab", name="API keys").click()
    opener = page.get_by_role("row", name="By keyboard").get_by_role("button")
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_label("Name")).to_have_value("By keyboard")
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    page.get_by_role("row", name="By keyboard").get_by_role("cell").last.click(force=True)
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
def test_axe_finds_nothing(pages: ConsolePages, fleet: Fleet, locale: Locale) -> None:
    make(fleet, "مفتاح", 3, agent="مراجع")
    page = pages.open("/ui/?tab=keys", locale=locale)
    page.locator(".keys-open").first.wait_for()
    look(page, f"keys-{locale}")
    page.locator(".keys-open").first.click()
    window = page.get_by_role("dialog")
    expect(window.locator("form").first).to_be_visible()
    look(page, f"keys-detail-{locale}")
    page.keyboard.press("Escape")
    page.locator(".keys .primary").click()
    window.locator("summary").click()
    window.locator(".primary").click()
    expect(window.locator("[aria-invalid]").first).to_be_focused()
    look(page, f"keys-new-{locale}")
    window.get_by_role("textbox").first.fill("مفتاح")
    window.get_by_role("radio").last.check()
    window.locator(".primary").click()
    expect(window.locator("pre").first).to_be_visible()
    look(page, f"keys-secret-{locale}")


def test_narrow_rows_are_cards(pages: ConsolePages) -> None:
    page = pages.open("/ui/?tab=keys", width=360)
    expect(page.locator(".keys-label").first).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    panel = page.locator(".panel-keys")
    assert panel.evaluate("(it) => it.scrollWidth <= it.clientWidth")
    assert axe(page) == []


def look(page: Page, name: str) -> None:
    """Axe finds nothing, nor in the dark, where only colours can be otherwise."""
    page.emulate_media(color_scheme="dark")
    screenshot(page, f"{name}-dark")
    assert axe(page, "color-contrast") == []
    page.emulate_media(color_scheme="light")
    screenshot(page, f"{name}-light")
    assert axe(page) == []


def new_key(page: Page, name: str) -> Locator:
    """The window for a new key with a name."""
    page.get_by_role("button", name="New API key").click()
    window = page.get_by_role("dialog")
    window.get_by_label("Name", exact=True).fill(name)
    return window


def key_window(page: Page, name: str) -> Locator:
    """The window of a key."""
    page.get_by_role("row", name=name).get_by_role("button").click()
    window = page.get_by_role("dialog")
    expect(window.get_by_role("button", name="Save")).to_be_visible()
    return window


def shown_secret(page: Page) -> str:
    """The secret in the window that shows it once."""
    shown = page.locator("dialog.secret pre").first
    expect(shown).to_have_text(re.compile(r"^mk_[\w-]{43}$"))
    return shown.inner_text()


def close_secret(page: Page) -> None:
    """Closes that window without having copied."""
    window = page.locator("dialog.secret")
    window.get_by_role("button", name="Close").click()
    window.get_by_role("button", name="Close all the same").click()
    expect(window).to_have_count(0)


def fact(window: Locator, label: str) -> Locator:
    return window.locator("dl > div").filter(has_text=label).locator("dd")


def refresh(page: Page) -> None:
    """What the page does every five seconds, at once."""
    run(page, "actions/refresh.js", "(it) => it.refresh()")


def make(fleet: Fleet, name: str, days: int, agent: str = "Somebody") -> Any:
    """A key, made elsewhere."""
    wanted = {"name": name, "agent_name": agent, "lifetime_days": days}
    return fleet.admin("POST", "/admin/keys", wanted)["key"]


def named(fleet: Fleet, name: str) -> Any:
    """The newest key of this name."""
    keys = fleet.admin("GET", "/admin/keys")["keys"]
    return next(key for key in keys if key["name"] == name)


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}
