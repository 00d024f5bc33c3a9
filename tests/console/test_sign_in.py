"""Signing in and setting the console up, as a person does."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from support.console_page import ConsolePages, run
from support.fleet import PASSWORD, USERNAME, Fleet
from support.server_process import ServerProcess


@pytest.fixture
def fresh(browser: Browser) -> Iterator[tuple[ConsolePages, ServerProcess]]:
    """A console of a server that nobody has set up."""
    with ServerProcess() as server:
        fleet = Fleet(server)
        pages = ConsolePages(browser, fleet)
        yield pages, server
        pages.close()
        fleet.close()


def _answer(page: Page, path: str, status: int, body: object) -> None:
    """What the server says to this path from now on, as it would in another state."""
    page.context.route(f"**{path}", lambda route: route.fulfill(status=status, json=body))


def _open_setup(pages: ConsolePages) -> Page:
    """The page of a server that knows no account."""
    page = pages.open(signed_in=False)
    nobody = {"authenticated": False, "setup_required": True, "user": None}
    _answer(page, "/ui/session", 200, nobody)
    page.reload()
    page.get_by_label("Setup code").fill("K7QD-4MPX-9TRA")
    page.get_by_label("User name").fill(USERNAME)
    return page


def _sign_in(page: Page, password: str = PASSWORD) -> None:
    page.get_by_label("User name").fill(USERNAME)
    page.get_by_label("Password", exact=True).fill(password)
    page.keyboard.press("Enter")


def test_whoever_signs_in_is_where_the_url_leads(pages: ConsolePages) -> None:
    page = pages.open("/ui/?tab=keys", signed_in=False)
    expect(page.get_by_label("User name")).to_be_focused()
    _sign_in(page)
    expect(page.get_by_role("tab", name="API keys")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url("/ui/?tab=keys")
    assert [cookie["expires"] for cookie in page.context.cookies()] == [-1]


def test_a_browser_stays_signed_in_when_asked_to(pages: ConsolePages) -> None:
    page = pages.open(signed_in=False)
    page.get_by_label("Stay signed in").check()
    _sign_in(page)
    expect(page.get_by_role("tab", name="Threads")).to_be_visible()
    (cookie,) = page.context.cookies()
    assert cookie["expires"] > 0


def test_what_is_missing_is_said_beside_its_field(pages: ConsolePages) -> None:
    page = pages.open(signed_in=False)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("User name")).to_be_focused()
    expect(page.get_by_label("User name")).to_have_accessible_description("Fill this in.")
    _sign_in(page)
    expect(page.get_by_role("tab", name="Threads")).to_be_visible()


def test_a_wrong_password_is_told_and_stays_selected(pages: ConsolePages) -> None:
    page = pages.open(signed_in=False)
    pages.guards(page).expect_status(401)
    _sign_in(page, "a wrong password")
    expect(page.get_by_role("alert")).to_have_text("The user name or the password is wrong.")
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Threads")).to_be_visible()


def test_a_password_can_be_looked_at(pages: ConsolePages) -> None:
    page = pages.open(signed_in=False)
    field = page.get_by_label("Password", exact=True)
    field.fill("what was typed")
    page.get_by_role("button", name="Show what is typed").click()
    expect(field).to_have_attribute("type", "text")
    page.get_by_role("button", name="Show what is typed").click()
    expect(field).to_have_attribute("type", "password")


def test_password_managers_know_the_fields(pages: ConsolePages) -> None:
    page = pages.open(signed_in=False)
    for label, purpose in (("User name", "username"), ("Password", "current-password")):
        field = page.get_by_label(label, exact=True)
        expect(field).to_have_attribute("autocomplete", purpose)


def test_another_language_keeps_what_was_typed(pages: ConsolePages) -> None:
    page = pages.open("/ui/?filter=unread", signed_in=False)
    page.get_by_label("User name").fill(USERNAME)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Stay signed in").check()
    page.get_by_role("button", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.get_by_role("button", name="Français")).to_be_focused()
    expect(page.get_by_label("Nom d’utilisateur")).to_have_value(USERNAME)
    expect(page.get_by_label("Rester connecté")).to_be_checked()
    page.get_by_role("button", name="Se connecter").click()
    expect(page.get_by_role("tab", name="Fils")).to_be_visible()
    expect(page).to_have_url("/ui/?filter=unread")


def test_a_server_that_is_away_is_told_where_one_signs_in(pages: ConsolePages) -> None:
    page = pages.open(signed_in=False)
    pages.guards(page).expect_away()
    page.route("**/ui/login", lambda route: route.abort())
    _sign_in(page)
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    page.unroute("**/ui/login")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("tab", name="Threads")).to_be_visible()


def test_signing_in_on_one_page_signs_the_other_in(pages: ConsolePages) -> None:
    page = pages.open(signed_in=False)
    other = page.context.new_page()
    other.goto("/ui/")
    _sign_in(other)
    expect(other.get_by_role("tab", name="Threads")).to_be_visible()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("tab", name="Threads")).to_be_visible()


def test_after_too_many_tries_the_page_counts_down_to_the_next(pages: ConsolePages) -> None:
    page = pages.open(signed_in=False)
    pages.guards(page).expect_status(429)
    refusal = {"code": "too_many_tries", "retry_after_seconds": 61, "detail": "Wait."}
    _answer(page, "/ui/login", 429, refusal)
    page.clock.install()
    _sign_in(page)
    expect(page.get_by_role("alert")).to_have_text("Too many failed tries.")
    timer = page.get_by_role("timer")
    expect(timer).to_have_text("Next try in 1:01")
    button = page.get_by_role("button", name="Sign in")
    expect(button).to_be_disabled()
    page.clock.run_for(2000)
    expect(timer).to_have_text("Next try in 0:59")
    page.clock.run_for(59_000)
    expect(button).to_be_enabled()
    expect(timer).to_be_hidden()


def test_the_account_is_set_up_with_the_code_of_the_log(
    fresh: tuple[ConsolePages, ServerProcess],
) -> None:
    pages, server = fresh
    page = pages.open(signed_in=False)
    pages.guards(page).expect_status(403)
    page.get_by_label("Setup code").fill("AAAA-BBBB-CCCC")
    page.get_by_label("User name").fill(USERNAME)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    code = page.get_by_label("Setup code")
    expect(code).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("The setup code is wrong.")).to_be_visible()
    expect(code).to_be_focused()
    right = server.log().rpartition("setup code: ")[2].split()[0]
    code.fill(right.lower())
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Threads")).to_be_visible()


def test_strength_and_mismatch_are_shown_while_typing(pages: ConsolePages) -> None:
    page = _open_setup(pages)
    password = page.get_by_label("Password", exact=True)
    again = page.get_by_label("Repeat the password")
    password.press_sequentially("Password12")
    expect(page.get_by_text("At least 12 characters.")).to_be_visible()
    password.press_sequentially("34!")
    expect(page.get_by_text("Weak: much of it is a common word")).to_be_visible()
    password.fill(PASSWORD)
    expect(page.get_by_text("Strong.")).to_be_visible()
    again.press_sequentially(PASSWORD[:5])
    expect(page.get_by_text("The two passwords differ.")).to_be_hidden()
    again.press_sequentially("!")
    expect(page.get_by_text("The two passwords differ.")).to_be_visible()
    page.get_by_role("button", name="Create the account").click()
    expect(again).to_be_focused()
    again.fill(PASSWORD)
    password.focus()
    expect(page.get_by_text("The two passwords differ.")).to_be_hidden()
    password.fill("short")
    page.get_by_role("button", name="Create the account").click()
    expect(password).to_be_focused()
    expect(password).to_have_attribute("aria-invalid", "true")


def test_an_account_that_was_made_meanwhile_leads_to_the_sign_in(pages: ConsolePages) -> None:
    page = _open_setup(pages)
    pages.guards(page).expect_status(409)
    page.get_by_label("Password", exact=True).fill("another good password")
    page.get_by_label("Repeat the password").fill("another good password")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_text("The account exists already")).to_be_visible()
    _sign_in(page)
    expect(page.get_by_role("tab", name="Threads")).to_be_visible()


def test_a_password_is_judged_honestly(pages: ConsolePages) -> None:
    verdicts = {
        "eleven char": "short",
        "x" * 257: "long",
        "😀" * 11: "short",
        "x" * 256: "weakRepeated",
        "abcabcabcabcabc": "weakRepeated",
        "123456789012345": "weakCommon",
        "qwertyuiop123": "weakCommon",
        "P@ssw0rd2024!!": "weakCommon",
        "motdepasse1234": "weakCommon",
        "margaretmargaret": "weakName",
        "836184720594": "weakSimple",
        "tghwqpzmvxrk": "fair",
        "éàüöñßçêîôûœ": "fair",
        "xK9#mQ2$vL7p": "strong",
        "correct horse battery staple": "strong",
    }
    page = pages.open(signed_in=False)
    script = "({ judge }, all) => all.map((password) => judge(password, 'Margaret'))"
    judged = run(page, "model/passwords.js", script, list(verdicts))
    assert dict(zip(verdicts, judged, strict=True)) == verdicts
