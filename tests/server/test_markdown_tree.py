"""Any text becomes a tree of allowed nodes: what an agent writes is data (promise 8)."""

import re
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_core.limits import BODY_MAX_CHARS
from messenger_core.wire.markdown import ATTRIBUTES, DEPTH_MAX, TAGS
from messenger_server import markdown_tree
from messenger_server.markdown_tree import TreeCache, body_tree, is_safe_link

Node = Any  # a text, or [tag, attributes, *children]

_MARKUP = st.sampled_from(
    [
        *"*_`~[]()!<>#|-+=:\\&\"'\n\t \r\x0b\u2028",
        "\n\n",
        "    ",
        "- ",
        "1. ",
        "> ",
        "```",
        "```js\n",
        "|a|b|\n|-|-|\n",
        "[ ] ",
        "- [x] ",
        "[a]: javascript:x\n",
        "[a]: http://x\n",
        "![a](",
        "](http://x)",
        "](javascript:alert(1))",
        "](<data:text/html,x>)",
        "](//evil)",
        "](mailto:a@b)",
        "]()",
        "](\n)",
        "](<>)",
        "[a]: <>\n",
        "<script>alert(1)</script>",
        "<https://x>",
        "<javascript:x>",
        "&lt;",
        "&#x6A;",
        "java\tscript:",
        "é日\U0001f600",
    ]
)
_BODIES = st.text(max_size=80) | st.lists(_MARKUP | st.text(max_size=4), max_size=40).map("".join)


def _nodes(tree: list[Node], depth: int = 1) -> Iterator[tuple[int, list[Node]]]:
    for node in tree:
        if isinstance(node, str):
            continue
        yield depth, node
        yield from _nodes(node[2:], depth + 1)


def _text(tree: list[Node]) -> str:
    return "".join(node if isinstance(node, str) else _text(node[2:]) for node in tree)


def _assert_allowed(tree: list[Node]) -> None:
    for depth, (tag, attributes, *_) in _nodes(tree):
        assert depth <= DEPTH_MAX
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
        for name, value in attributes.items():
            match name:
                case "href":
                    assert tag == "a"
                    assert re.match(r"https?://[^/\\]|mailto:.", value, re.IGNORECASE)
                    assert not re.search(r"[\x00-\x20\x7f]", value)
                case "class":
                    assert (tag, value[:9]) == ("code", "language-")
                    assert re.fullmatch(r"[\w+#.-]+", value[9:])
                case "align":
                    assert tag in {"th", "td"}
                    assert value in {"left", "center", "right"}
                case "start":
                    assert (tag, type(value)) == ("ol", int)
                case "checked":
                    assert (tag, type(value)) == ("input", bool)
    assert "" not in (child for _, node in _nodes(tree) for child in node[2:])


@given(body=_BODIES)
def test_promise_8_any_text_gives_allowed_nodes_and_schemes_alone(body: str) -> None:
    tree = body_tree(body)

    _assert_allowed(tree)
    msgspec.json.encode(tree)


@given(words=st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=12))
@pytest.mark.parametrize("prefix", ["> ", "- ", "1. ", "  - ", ">> > ", "**", "[", "![", "_"])
def test_no_word_is_lost_however_deep_it_lies(prefix: str, words: list[str]) -> None:
    body = "\n\n".join(prefix * (3 * depth) + word for depth, word in enumerate(words, 1))

    tree = body_tree(body)

    _assert_allowed(tree)
    text = _text(tree)
    assert all(word in text for word in words)


@given(url=st.text(max_size=30) | st.from_regex(r"(https?|mailto|javascript|data):.*"))
def test_a_link_that_is_safe_names_its_scheme_and_holds_no_blank(url: str) -> None:
    if is_safe_link(url):
        assert re.match(r"(https?://[^/]|mailto:.)", url, re.IGNORECASE)
        assert not any(char.isspace() or char < "!" for char in url)


@pytest.mark.parametrize(
    ("body", "tree"),
    [
        ("text", [["p", {}, "text"]]),
        ("a\nb  \nc", [["p", {}, "a\nb", ["br", {}], "c"]]),
        ("## Head", [["h2", {}, "Head"]]),
        ("***", [["hr", {}]]),
        (
            "*a* **b** ~~c~~ `d*`",
            [
                [
                    "p",
                    {},
                    ["em", {}, "a"],
                    " ",
                    ["strong", {}, "b"],
                    " ",
                    ["del", {}, "c"],
                    " ",
                    ["code", {}, "d*"],
                ]
            ],
        ),
        ("> q", [["blockquote", {}, ["p", {}, "q"]]]),
        ("- a\n- b", [["ul", {}, ["li", {}, "a"], ["li", {}, "b"]]]),
        ("7. a\n\n8. b", [["ol", {"start": 7}, *[["li", {}, ["p", {}, each]] for each in "ab"]]]),
        ("1. a", [["ol", {}, ["li", {}, "a"]]]),
        (
            "- [ ] to do\n- [X] done\n- [y] no\n- \\[ ] no",
            [
                [
                    "ul",
                    {},
                    ["li", {}, ["input", {"checked": False}], " to do"],
                    ["li", {}, ["input", {"checked": True}], " done"],
                    ["li", {}, "[y] no"],
                    ["li", {}, "[ ] no"],
                ]
            ],
        ),
        ("[x] no list", [["p", {}, "[x] no list"]]),
        ("```py line\na\n```", [["pre", {}, ["code", {"class": "language-py"}, "a\n"]]]),
        ('```"><b\na\n```', [["pre", {}, ["code", {}, "a\n"]]]),
        ("    a", [["pre", {}, ["code", {}, "a\n"]]]),
        (
            "|a|b|c|\n|-|:-:|-:|\n|1|2|3|",
            [
                [
                    "table",
                    {},
                    [
                        "thead",
                        {},
                        [
                            "tr",
                            {},
                            ["th", {}, "a"],
                            ["th", {"align": "center"}, "b"],
                            ["th", {"align": "right"}, "c"],
                        ],
                    ],
                    [
                        "tbody",
                        {},
                        [
                            "tr",
                            {},
                            ["td", {}, "1"],
                            ["td", {"align": "center"}, "2"],
                            ["td", {"align": "right"}, "3"],
                        ],
                    ],
                ]
            ],
        ),
        (
            '[a](https://x.org "title")',
            [["p", {}, ["a", {"href": "https://x.org"}, "a"]]],
        ),
        ("<me@x.org>", [["p", {}, ["a", {"href": "mailto:me@x.org"}, "me@x.org"]]]),
        (
            "![a **b**](https://x.org/i.png)",
            [["p", {}, ["a", {"href": "https://x.org/i.png"}, "a b"]]],
        ),
        (
            "![](https://x.org/i.png)",
            [["p", {}, ["a", {"href": "https://x.org/i.png"}, "https://x.org/i.png"]]],
        ),
        (
            "[![a](https://x.org/i.png)](https://x.org)",
            [["p", {}, ["a", {"href": "https://x.org"}, "a"]]],
        ),
        (
            "[a [b]() ![c]()](https://x.org)",
            [["p", {}, ["a", {"href": "https://x.org"}, "a [b]() ![c]()"]]],
        ),
        ("[a](https://x.org/())", [["p", {}, ["a", {"href": "https://x.org/()"}, "a"]]]),
    ],
)
def test_markdown_becomes_nodes(body: str, tree: list[Node]) -> None:
    assert body_tree(body) == tree


@pytest.mark.parametrize(
    "body",
    [
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](data:text/html,x)",
        "[a](vbscript:x)",
        "[a](file:///etc/passwd)",
        "[a](ftp://x)",
        "[a](/ui/logout)",
        "[a](//evil.org)",
        "[a](#here)",
        "[a](http:evil)",
        "[a]()",
        "[]()",
        "[a]( )",
        "[a](\n)",
        "[a](<>)",
        "![alt]()",
        "![]( )",
        "[a](mailto:)",
        "[a](https://)",
        "![a](data:image/png;base64,AAAA)",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<b>raw</b>",
        "<!-- hidden -->",
        "<javascript:alert(1)>",
    ],
)
def test_promise_8_what_is_not_allowed_is_shown_as_it_was_written(body: str) -> None:
    assert body_tree(body) == [["p", {}, body]]


def test_a_list_of_a_whole_page_is_followed_by_what_comes_after_it() -> None:
    assert body_tree("- " * 40 + "a\n- b\n\nend")[-1] == ["p", {}, "end"]


def test_what_lies_beyond_the_budget_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_tree, "_MOST_TOKENS", 50)

    tree = body_tree("- *a*\n" * 100 + "\n# end")

    _assert_allowed(tree)
    assert tree[-1][0] == "p"
    assert tree[-1][-1].endswith("- *a*\n\n# end")
    assert _text(tree).count("a") == 100


_BOMBS = {
    "quotes": ">",
    "lists": "- ",
    "empty items": "-\n",
    "brackets": "[",
    "images": "![",
    "links": "[a](",
    "backticks": "`a",
    "emphasis": "*a **a_ ",
    "strikes": "~~a",
    "tags": "<a ",
    "entities": "&#",
    "escapes": "\\",
    "headings": "# a\n",
    "rows": "|a|\n|-|\n",
    "nested lists": "* * * * a\n",
    "references": "[a]: http://x\n",
}


@pytest.mark.parametrize("bomb", _BOMBS.values(), ids=_BOMBS)
def test_the_cost_of_the_longest_hostile_body_is_bounded(bomb: str) -> None:
    body = (bomb * BODY_MAX_CHARS)[:BODY_MAX_CHARS]
    began = time.thread_time()

    tree = body_tree(body)

    assert time.thread_time() - began < 15  # as long as the square of its length: an hour
    assert sum(1 for _ in _nodes(tree)) < BODY_MAX_CHARS
    _assert_allowed(tree)


def test_growing_rows_of_backticks_cost_no_more_than_their_length() -> None:
    body = "".join("`" * length + "a" for length in range(1, 714))
    began = time.thread_time()

    body_tree(body)

    assert time.thread_time() - began < 15


def test_the_trees_that_were_read_last_are_kept_as_far_as_there_is_room() -> None:
    cache = TreeCache(most_nodes=7)
    first = cache.tree_of("msg_1", "*a*\n\nb")  # five nodes
    assert cache.tree_of("msg_1", "*a*\n\nb") is first

    second = cache.tree_of("msg_2", "c")  # two more
    assert cache.tree_of("msg_1", "*a*\n\nb") is first
    cache.tree_of("msg_3", "d")  # the one that was asked for longest ago has to go

    assert cache.tree_of("msg_1", "*a*\n\nb") is first
    assert cache.tree_of("msg_2", "c") is not second
    large = "*a* " * 100
    assert cache.tree_of("msg_4", large) is cache.tree_of("msg_4", large)
