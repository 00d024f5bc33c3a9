"""What stands around the views: top bar, tabs, panels, language, appearance, the refresh."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from support.console_page import ConsolePages, Locale, run
from support.fleet import PASSWORD, USERNAME, Fleet
from support.server_process import ServerProcess


def _tab(page: Page, name: str) -> Locator:
    return page.get_by_role("tab", name=name)


def _menu(page: Page, role: Literal["menuitem", "menuitemradio"], name: str) -> None:
    page.locator("#account-menu").click()
    page.get_by_role(role, name=name).click()


def _open_thread(page: Page, name: str) -> None:
    threads = page.get_by_role("region", name="Threads")
    threads.get_by_role("button", name=name).first.click()
    page.get_by_role("region", name="Conversation").get_by_role(
        "heading", name=name
    ).first.wait_for()


def test_tabs_are_in_the_url_and_the_back_button_follows(page: Page) -> None:
    _tab(page, "Links").click()
    expect(page).to_have_url("/ui/?tab=links")
    expect(page.get_by_role("tabpanel", name="Links")).to_be_visible()
    _tab(page, "API keys").click()
    expect(page.get_by_role("tabpanel", name="API keys")).to_be_visible()
    expect(page.get_by_role("tabpanel", name="Links")).to_be_hidden()
    page.go_back()
    expect(_tab(page, "Links")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(_tab(page, "Threads")).to_have_attribute("aria-selected", "true")
    page.go_forward()
    expect(_tab(page, "Links")).to_have_attribute("aria-selected", "true")


def test_arrow_keys_go_from_tab_to_tab(page: Page) -> None:
    _tab(page, "Threads").focus()
    page.keyboard.press("ArrowRight")
    expect(_tab(page, "Links")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Links")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(_tab(page, "API keys")).to_have_attribute("aria-selected", "true")


def test_another_tab_and_back_leaves_everything_as_it_was(page: Page) -> None:
    _open_thread(page, "Release 2.0")
    message = page.get_by_role("region", name="Conversation").locator("[aria-expanded]").first
    message.click()
    expect(message).to_have_attribute("aria-expanded", "true")
    _tab(page, "API keys").click()
    _tab(page, "Threads").click()
    expect(message).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("heading", name="Release notes")).to_be_visible()


def test_another_language_keeps_what_is_open(page: Page) -> None:
    _open_thread(page, "Release 2.0")
    page.get_by_role("region", name="Conversation").locator("[aria-expanded]").first.click()
    page.get_by_role("heading", name="Release notes").wait_for()
    url = page.url
    _menu(page, "menuitemradio", "Français")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(_tab(page, "Fils")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", name="Release notes")).to_be_visible()
    expect(page.get_by_role("button", name="Menu du compte")).to_be_focused()
    expect(page).to_have_url(url)
    page.reload()
    expect(_tab(page, "Fils")).to_be_visible()
    _menu(page, "menuitemradio", "English")
    expect(_tab(page, "Threads")).to_be_visible()


def test_the_browser_says_which_language_it_begins_with(pages: ConsolePages) -> None:
    page = pages.open(locale="fr-FR")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    for name in ("Fils", "Liens", "Clés d’API"):
        expect(_tab(page, name)).to_be_visible()


def test_the_appearance_follows_the_system_until_it_is_chosen(pages: ConsolePages) -> None:
    page = pages.open(scheme="dark")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(ground)
    _menu(page, "menuitemradio", "Light")
    light = page.evaluate(ground)
    assert light != dark
    page.reload()
    _tab(page, "Threads").wait_for()
    assert page.evaluate(ground) == light
    page.emulate_media(color_scheme="light")
    _menu(page, "menuitemradio", "Dark")
    assert page.evaluate(ground) == dark
    _menu(page, "menuitemradio", "As the system")
    assert page.evaluate(ground) == light


def test_the_account_menu_works_by_keyboard_and_closes_on_a_click_elsewhere(page: Page) -> None:
    button = page.get_by_role("button", name="Account menu")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="My account")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("menuitem", name="Sign out")).to_be_focused()
    page.keyboard.press("Home")
    expect(page.get_by_role("menuitem", name="My account")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    page.get_by_role("region", name="Conversation").click()
    expect(page.get_by_role("menu")).to_be_hidden()


def test_whoever_signs_out_has_the_sign_in_page_at_the_same_url(pages: ConsolePages) -> None:
    page = pages.open("/ui/?tab=keys", signed_in=False)
    page.get_by_label("User name").fill(USERNAME)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    _menu(page, "menuitem", "Sign out")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(page.get_by_text("Your session has ended")).to_be_hidden()
    expect(page).to_have_url("/ui/?tab=keys")


def test_a_session_that_ends_elsewhere_leads_back_to_the_same_thread(
    pages: ConsolePages, fleet: Fleet
) -> None:
    page = pages.open(f"/ui/?thread={fleet.threads['Release 2.0']}", signed_in=False)
    pages.guards(page).expect_status(401)
    page.get_by_label("User name").fill(USERNAME)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", name="Release 2.0").first
    heading.wait_for()
    url = page.url
    fleet.admin("POST", "/admin/account/sessions/revoke-others")
    run(page, "actions/refresh.js", "({ refresh }) => refresh()")
    expect(page.get_by_text("Your session has ended")).to_be_visible()
    expect(page).to_have_url(url)
    page.get_by_label("User name").fill(USERNAME)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(heading).to_be_visible()
    expect(page).to_have_url(url)


@pytest.mark.parametrize(
    ("name", "panel", "usual"),
    [
        ("Width of the agents column", "#agents", 288),
        ("Width of the list of threads", "#threads", 380),
    ],
)
def test_a_line_between_panels_moves_by_drag_and_by_keys_and_is_remembered(
    pages: ConsolePages, name: str, panel: str, usual: int
) -> None:
    page = pages.open(width=1600)
    line = page.get_by_role("separator", name=name)

    def width() -> int:
        box = page.locator(panel).bounding_box()
        assert box is not None
        assert round(box["width"]) == int(line.get_attribute("aria-valuenow") or 0)
        return round(box["width"])

    assert width() == usual
    box = line.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 2, 400)
    page.mouse.down()
    page.mouse.move(box["x"] + 42, 420, steps=4)
    page.mouse.up()
    assert width() == usual + 40
    line.press("ArrowRight")
    assert width() == usual + 56
    line.press("Shift+ArrowLeft")
    assert width() == usual - 8
    page.reload()
    line.wait_for()
    assert width() == usual - 8
    line.press("Home")
    assert width() == int(line.get_attribute("aria-valuemin") or 0)
    line.press("End")
    assert width() == int(line.get_attribute("aria-valuemax") or 0)
    line.dblclick()
    assert width() == usual
    page.reload()
    line.wait_for()
    assert width() == usual


def test_wide_panels_leave_room_for_the_reader_on_a_small_window(pages: ConsolePages) -> None:
    page = pages.open(width=1600)
    for name in ("Width of the agents column", "Width of the list of threads"):
        page.get_by_role("separator", name=name).press("End")
    page.set_viewport_size({"width": 1120, "height": 700})
    box = page.get_by_role("region", name="Conversation").bounding_box()
    assert box is not None
    assert box["width"] >= 350
    assert box["x"] + box["width"] <= 1120


def test_a_narrow_page_shows_one_panel_at_a_time_with_a_way_back(pages: ConsolePages) -> None:
    page = pages.open(width=360, height=700)
    threads = page.get_by_role("region", name="Threads")
    reader = page.get_by_role("region", name="Conversation")
    expect(threads).to_be_visible()
    expect(reader).to_be_hidden()
    _open_thread(page, "Release 2.0")
    expect(reader).to_be_visible()
    expect(threads).to_be_hidden()
    page.get_by_role("button", name="Back to the list").click()
    expect(threads).to_be_visible()
    expect(reader).to_be_hidden()
    page.go_back()
    expect(reader).to_be_visible()


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
def test_nothing_is_wider_than_the_page(pages: ConsolePages, locale: Locale) -> None:
    page = pages.open(locale=locale)
    bar = page.locator(".topbar")
    for tab in ("threads", "links", "keys", "account"):
        run(page, "actions/navigation.js", "({ navigate }, tab) => navigate({ tab })", tab)
        page.locator(f"#panel-{tab}").wait_for()
        for width in (360, 639, 760, 1000, 2560):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert bar.evaluate("(bar) => bar.scrollWidth <= bar.clientWidth")


def test_the_refresh_can_be_switched_off_and_stays_so(page: Page) -> None:
    page.clock.install()
    box = page.get_by_role("checkbox", name="Auto-refresh")
    expect(box).to_be_checked()
    run(page, "actions/refresh.js", "({ refresh }) => refresh()")  # the next one is by this clock
    with page.expect_request("**/admin/overview"):
        page.clock.run_for(6000)
    box.uncheck()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(20_000)
    page.evaluate("() => null")
    assert not asked
    page.reload()
    expect(box).not_to_be_checked()
    box.check()
    run(page, "actions/refresh.js", "({ refresh }) => refresh()")
    with page.expect_request("**/admin/overview"):
        page.clock.run_for(6000)


def test_a_hidden_page_asks_for_nothing(page: Page) -> None:
    page.clock.install()
    hide = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(30_000)
    page.evaluate("() => null")
    assert not asked
    with page.expect_request("**/admin/overview"):
        page.evaluate(hide, False)


def test_the_title_counts_what_nobody_has_read(page: Page, fleet: Fleet) -> None:
    unread = fleet.admin("GET", "/admin/overview")["totals"]["unread"]
    expect(page).to_have_title(f"({unread}) Messenger")
    fleet.send("carla", "ann", "One more", "Please look.")
    run(page, "actions/refresh.js", "({ refresh }) => refresh()")
    expect(page).to_have_title(f"({unread + 1}) Messenger")


def test_the_skip_link_leads_past_the_top_bar(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_a_notice_stays_until_it_is_closed(page: Page) -> None:
    page.clock.install()
    run(page, "actions/notices.js", "({ notify }) => notify('error', 'Something went wrong')")
    page.clock.run_for(120_000)
    notice = page.locator(".notice")
    expect(notice).to_have_text("Something went wrong")
    notice.get_by_role("button", name="Close").click()
    expect(notice).to_be_hidden()


@pytest.fixture
def own(browser: Browser) -> Iterator[tuple[ConsolePages, ServerProcess]]:
    """A console whose server may be stopped."""
    with ServerProcess() as server:
        fleet = Fleet(server)
        fleet.set_up_account()
        fleet.register("ann", "Ann")
        fleet.register("bob", "Bob")
        fleet.send("ann", "bob", "A thread", "Please look.")
        pages = ConsolePages(browser, fleet)
        yield pages, server
        pages.close()
        fleet.close()


def test_a_server_that_goes_away_is_told_and_comes_back(
    own: tuple[ConsolePages, ServerProcess],
) -> None:
    pages, server = own
    page = pages.open()
    pages.guards(page).expect_away()
    row = page.get_by_role("region", name="Threads").get_by_role("button", name="A thread")
    row.wait_for()
    server.kill()
    page.keyboard.press("r")
    sign = page.get_by_role("banner").get_by_role("status")
    expect(sign).to_have_text("The server does not answer")
    expect(row).to_be_visible()
    server.restart()
    expect(sign).to_be_hidden(timeout=8000)
    expect(row).to_be_visible()


def test_a_view_that_did_not_come_can_be_asked_for_again(page: Page, pages: ConsolePages) -> None:
    pages.guards(page).expect_away()
    # No poll succeeds: that would bring the view by itself.
    page.route("**/admin/**", lambda route: route.abort())
    page.route("**/views/keys.js", lambda route: route.abort())
    _tab(page, "API keys").click()
    panel = page.get_by_role("tabpanel", name="API keys")
    expect(panel.get_by_text("The server does not answer.")).to_be_visible()
    page.unroute("**/views/keys.js")
    panel.get_by_role("button", name="Try again").click()
    expect(panel.get_by_role("heading", name="API keys")).to_be_visible()
