"""The page's side of markdown: node trees, also such as no server of ours would send."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.console_page import run

_RENDER = """(it, tree) => {
  const host = document.createElement("section");
  host.className = "prose";
  document.querySelector("main").replaceChildren(host);
  it.renderTree(host, tree, 3);
  return host.innerHTML;
}"""


@pytest.fixture
def body(page: Page) -> Any:
    """Renders a tree in the page; gives its markup."""
    return lambda *tree: run(page, "lib/markdown.js", _RENDER, list(tree))


def test_a_span_is_its_element(body: Any) -> None:
    for tag in ("em", "strong", "del", "code"):
        made = body(["p", {}, "a ", [tag, {}, "b"]])
        assert made == f'<p dir="auto">a <{tag}>b</{tag}></p>'


def test_texts_stay_texts(body: Any) -> None:
    assert body("<b>&amp;</b>") == "&lt;b&gt;&amp;amp;&lt;/b&gt;"
    assert body(["p", {}, "<img src=x onerror=alert(1)>"]).startswith('<p dir="auto">&lt;img')


def test_blocks_begin_in_the_direction_of_their_first_letter(page: Page, body: Any) -> None:
    body(["p", {}, "שלום"], ["p", {}, "hello"], ["ul", {}, ["li", {}, "مرحبا"]])
    directions = "(node) => getComputedStyle(node).direction"
    assert page.locator(".prose p").nth(0).evaluate(directions) == "rtl"
    assert page.locator(".prose p").nth(1).evaluate(directions) == "ltr"
    assert page.locator(".prose ul").evaluate(directions) == "rtl"


def test_headings_keep_their_order_below_the_message(page: Page, body: Any) -> None:
    body(["h3", {}, "a"], ["h1", {}, "b"], ["h2", {}, "c"], ["h6", {}, "d"], ["h6", {}, "e"])
    tags = page.locator(".prose > *").evaluate_all("(all) => all.map((node) => node.localName)")
    assert tags == ["h4", "h4", "h5", "h6", "h6"]


def test_lists_keep_their_start_and_their_boxes(page: Page, body: Any) -> None:
    item = ["li", {}, ["input", {"checked": True}], " done"]
    loose = ["li", {}, ["p", {}, ["input", {"checked": False}], " open"]]
    body(["ol", {"start": 7}, ["li", {}, "seven"]], ["ul", {}, item, loose])
    expect(page.locator(".prose ol")).to_have_attribute("start", "7")
    expect(page.get_by_role("checkbox", name="Done")).to_be_disabled()
    expect(page.get_by_role("checkbox", name="Done")).to_be_checked()
    expect(page.get_by_role("checkbox", name="To do")).to_be_disabled()
    expect(page.locator(".prose .is-task")).to_have_count(2)


def test_tables_align_and_scroll_by_themselves(page: Page, body: Any) -> None:
    cells = [["td", {"align": "right"}, "x" * 300], ["td", {"align": "evil"}, "b"]]
    body(["table", {}, ["tbody", {}, ["tr", {}, *cells]]])
    frame = page.get_by_role("group", name="Table")
    expect(frame.locator("td.is-right")).to_have_css("text-align", "right")
    expect(frame.locator("td").nth(1)).not_to_have_attribute("class", "is-evil")
    expect(frame).to_have_css("overflow-x", "auto")


def test_code_says_its_language_and_can_be_copied(page: Page, body: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = "if (a < b) {\n\treturn `x`;\n}\n"
    body(["pre", {}, ["code", {"class": "language-c++"}, code]])
    expect(page.locator(".prose .code-bar")).to_have_text("c++")
    page.get_by_role("button", name="Copy the code").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()") == code


def test_what_may_not_be_followed_is_text(page: Page, body: Any) -> None:
    hrefs: list[Any] = [  # Any: whatever JSON can hold
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        " javascript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:msgbox(1)",
        "blob:http://127.0.0.1/x",
        "file:///etc/passwd",
        "ftp://example.org/",
        "view-source:http://example.org",
        "//example.org/x",
        "/admin/keys",
        "?tab=keys",
        "#top",
        "",
        "http://",
        None,
        7,
        ["http://a.b"],
        {"toString": "x"},
    ]
    body(*(["p", {}, ["a", {"href": href}, "label"]] for href in hrefs))
    expect(page.locator(".prose p")).to_have_text(["label"] * len(hrefs))
    expect(page.locator(".prose a")).to_have_count(0)


def test_links_lead_out_and_tell_nothing(page: Page, body: Any) -> None:
    more = {"onclick": "x()", "ping": "http://c.d", "download": "x"}
    for href in ("http://a.b/", "https://a.b/c?d#e", "mailto:a@b.c", "HTTPS://a.b"):
        body(["a", {"href": href, **more}, "label"])
        link = page.locator(".prose a")
        expect(link).to_have_attribute("href", href)
        expect(link).to_have_attribute("rel", "noreferrer noopener")
        expect(link).to_have_attribute("target", "_blank")
        names = link.evaluate("(node) => node.getAttributeNames().sort()")
        assert names == ["href", "rel", "target", "title"]


def test_an_unknown_node_shows_its_text(body: Any) -> None:
    tags = "script style iframe img svg math object embed base meta form link template dialog"
    for tag in (*tags.split(), "button", "x-y", "SCRIPT", "h7", "__proto__", "constructor", ""):
        attributes = {"src": "x", "onload": "alert(1)", "class": "dialog"}
        made = body([tag, attributes, "its ", ["em", {}, "text"]])
        assert made == "<span>its <em>text</em></span>"


def test_attributes_of_strangers_are_dropped(body: Any) -> None:
    evil = {
        "onclick": "x()",
        "style": "position:fixed",
        "id": "search",
        "class": "dialog",
        "dir": "rtl",
    }
    assert body(["p", evil, "a"]) == '<p dir="auto">a</p>'
    assert body(["ol", {"start": '1" onclick=x'}, ["li", evil, "a"]]) == (
        '<ol dir="auto"><li>a</li></ol>'
    )


def test_what_is_very_large_comes_in_parts_and_whole(page: Page, body: Any) -> None:
    body(["ul", {}, *(["li", {}, f"{number}"] for number in range(6_000))])
    assert page.locator(".prose li").count() < 6_000
    expect(page.locator(".prose li")).to_have_count(6_000)
    expect(page.locator(".prose li").last).to_have_text("5999")
