"""The node tree of a message body: markdown that the server has parsed.

A node is a text, or a list of a tag, its attributes and its children:
`["p", {}, "See ", ["a", {"href": "https://example.org"}, "this"], "."]`. Tags and attributes are
those of the two sets below and no others; raw HTML in a body is text.
"""

from typing import Any

Node = str | list[Any]  # Any: [tag, attributes, *children]; Python has no type for such a list
Tree = list[Node]

TAGS: frozenset[str] = (
    frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "hr", "br", "pre", "code"})
    | frozenset({"ul", "ol", "li", "input", "em", "strong", "del", "a"})
    | frozenset({"table", "thead", "tbody", "tr", "th", "td"})
)
ATTRIBUTES: frozenset[str] = frozenset({"href", "start", "align", "checked", "class"})
"""`class` is only ever `language-…`, of a code block."""
SCHEMES: frozenset[str] = frozenset({"http", "https", "mailto"})
"""Of a link; one of any other scheme is shown as text."""
DEPTH_MAX = 20
"""How deep nodes lie in one another; what lies deeper is text."""
