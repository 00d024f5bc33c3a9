"""Markdown tree: the body of a message as the nested nodes that the console builds its page from.

CommonMark with tables, strikethrough and task boxes. Raw HTML is text; an image is a link with its
alt text; a link of another scheme than `SCHEMES` stays the text that was written. Nothing is left
out: what lies deeper than the parser goes, or comes after its budget, is shown as it was written.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline, image, link
from markdown_it.token import Token

from messenger_core.wire.markdown import DEPTH_MAX, SCHEMES, TAGS, Tree

_DEEPEST_BLOCK: Final = 15
"""Blocks that lie deeper in lists and quotes are text: below this a table has its four levels."""
_DEEPEST_BRACKETS: Final = _DEEPEST_BLOCK + 2
"""What the parser's time for nested brackets grows with. Blocks must stop before: the parser drops
what lies deeper than this, and a list brings two levels at once."""
_MOST_TOKENS: Final = 200_000
"""Of the parser, each a few hundred bytes: four times what a long document has."""
_RAW: Final = "raw"
"""A token of our own: lines that are shown as they were written."""

_INTERRUPTED: Final = ("paragraph", "reference", "blockquote", "list")
"""What ends where these lines begin; a table counts as a quote."""

_SAFE_LINK: Final = re.compile(
    r"(?:https?://(?![/?#\\])|mailto:(?!\?))[^\s\x00-\x20\x7f]+", re.IGNORECASE
)
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+#.-]{1,40}")
_TASK: Final = re.compile(r"\[([ xX])\]\s")
_ALIGNED: Final = {"text-align:left": "left", "text-align:center": "center"} | {
    "text-align:right": "right"
}
_TAG_OF: Final = {"s": "del"}
"""Where the parser's tag is another than ours."""

_Attributes = dict[str, str | int | bool]


def body_tree(body: str) -> Tree:
    """The nodes of a text that somebody wrote; at most `DEPTH_MAX` deep."""
    return _built(body).tree


class TreeCache:
    """The trees of the messages that were read last, by message id; any thread may ask.

    A body never changes, so no tree ever has to be forgotten but for its room.
    """

    def __init__(self, most_nodes: int = 200_000) -> None:
        self._most_nodes = most_nodes
        """About 250 bytes each. The newest tree is kept even when it alone is larger."""
        self._nodes = 0
        self._kept: OrderedDict[str, _Builder] = OrderedDict()
        self._lock = threading.Lock()

    def tree_of(self, message_id: str, body: str) -> Tree:
        """The tree of a message's body."""
        with self._lock:
            if kept := self._kept.get(message_id):
                self._kept.move_to_end(message_id)
                return kept.tree
        built = _built(body)
        with self._lock:
            if message_id not in self._kept:
                self._kept[message_id] = built
                self._nodes += built.nodes
            while self._nodes > self._most_nodes and len(self._kept) > 1:
                self._nodes -= self._kept.popitem(last=False)[1].nodes
        return built.tree


class _Parser(MarkdownIt):
    """The parser with our links alone, and with an end to its depth and its memory."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "maxNesting": _DEEPEST_BRACKETS})
        self.enable(["table", "strikethrough"])
        self.inline.ruler.at("link", _somewhere(link))
        self.inline.ruler.at("image", _somewhere(image))
        self.block.ruler.before("table", _RAW, _raw_rest, {"alt": [*_INTERRUPTED]})

    def validateLink(self, url: str) -> bool:  # noqa: N802 (the parser's own name)
        """Whether a link may lead there: an unsafe one is no link."""
        return is_safe_link(url)


def is_safe_link(url: str) -> bool:
    """Whether a link is of one of `SCHEMES`, names a place there, and holds no blank."""
    scheme = url.partition(":")[0].lower()
    return scheme in SCHEMES and _SAFE_LINK.fullmatch(url) is not None


_InlineRule = Callable[[StateInline, bool], bool]


def _somewhere(rule: _InlineRule) -> _InlineRule:
    """The parser's rule without links that lead nowhere: `[a]()` is none, which it never asks."""

    def ruled(state: StateInline, silent: bool) -> bool:
        start = state.pos
        if not rule(state, True):
            return False
        before, end, after = state.src[start : state.pos].rpartition(")")
        if end and not after and before.rstrip(" \t\n").endswith("]("):
            state.pos = start
            return False
        if silent:
            return True
        state.pos = start
        return rule(state, False)

    return ruled


def _raw_rest(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A rule of the parser: takes a block as it was written once there is too much of it."""
    if state.level < _DEEPEST_BLOCK and len(state.tokens) < _MOST_TOKENS:
        return False
    if silent:
        return True
    line = first
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    raw = state.push(_RAW, "", 0)
    raw.content = state.getLines(first, line, state.blkIndent, False).strip("\n")
    state.line = line
    return True


@cache
def _parser() -> _Parser:
    return _Parser()


def _built(body: str) -> "_Builder":
    builder = _Builder()
    tokens = _parser().parse(body)
    for position, token in enumerate(tokens):
        if token.type == "inline":
            is_item = position > 1 and tokens[position - 2].type == "list_item_open"
            builder.add_inline(_without_box(token, builder) if is_item else token.children or ())
        else:
            builder.add_block(token)
    builder.flush()
    return builder


def _without_box(item: Token, builder: "_Builder") -> list[Token]:
    """The text of a list's item, after its task box has been added where it has one."""
    children = item.children or []
    # The text as it was written, too: one that is escaped is no box.
    box = _TASK.match(item.content)
    if box is None or not _TASK.match(children[0].content):
        return children
    builder.leaf("input", {"checked": box[1] != " "})
    rest = children[0].copy(content=children[0].content[len("[x]") :])
    return [rest, *children[1:]]


class _Builder:
    """Puts nodes into one another as the parser's tokens come."""

    def __init__(self) -> None:
        self.tree: Tree = []
        self.nodes = 0
        # The nodes that are open, the tree itself first. Any: tag, attributes, children.
        self._open: list[list[Any]] = [self.tree]
        self._deeper = 0
        """Open tokens that are no nodes: they would lie too deep."""
        self._text: list[str] = []
        """What is written and not yet in the tree."""
        self._links = 0

    def add_block(self, token: Token) -> None:
        """A block begins, ends, or stands by itself."""
        if token.hidden:  # a paragraph in a list without blank lines
            return
        if token.type in {"fence", "code_block"}:
            language = _LANGUAGE.fullmatch((token.info.split() or [""])[0])
            self.open("pre", {})
            self.leaf("code", {"class": f"language-{language[0]}"} if language else {}, token)
            self.close()
        elif token.type == _RAW:
            self.leaf("p", {}, token)
        else:
            self._add(token)

    def add_inline(self, children: Iterable[Token]) -> None:
        """What stands in a paragraph, a heading or a cell."""
        for token in children:
            if token.type == "softbreak":
                self._text.append("\n")
            elif token.type == "code_inline":
                self.leaf("code", {}, token)
            elif token.type == "image":
                self._add_image(token)
            elif token.tag:
                self._add_span(token)
            else:
                self._text.append(token.content)

    def open(self, tag: str, attributes: _Attributes) -> None:
        """Begins a node; what follows lies in it."""
        if len(self._open) > DEPTH_MAX:
            self._deeper += 1
            return
        self.flush()
        node = [tag, attributes]
        self._open[-1].append(node)
        self._open.append(node)
        self.nodes += 1

    def close(self) -> None:
        """Ends the node that was begun last."""
        if self._deeper:
            self._deeper -= 1
            return
        self.flush()
        self._open.pop()

    def leaf(self, tag: str, attributes: _Attributes, of: Token | None = None) -> None:
        """A node that holds at most text."""
        self.open(tag, attributes)
        if of is not None:
            self._text.append(of.content)
        self.close()

    def flush(self) -> None:
        """Puts the text that was written into the node that is open."""
        text = "".join(self._text)
        self._text.clear()
        if text:
            self._open[-1].append(text)
            self.nodes += 1

    def _add_span(self, token: Token) -> None:
        if token.type in {"link_open", "link_close"}:
            self._links += token.nesting
        self._add(token)

    def _add(self, token: Token) -> None:
        tag = _TAG_OF.get(token.tag, token.tag)
        assert tag in TAGS, f"the parser gives a tag of no rule that is on: {tag}"
        if token.nesting == 1:
            self.open(tag, _attributes(token))
        elif token.nesting == -1:
            self.close()
        else:
            self.leaf(tag, {})

    def _add_image(self, token: Token) -> None:
        """An image is never shown: a link to it, or its label where that is in a link already."""
        source = str(token.attrs["src"])
        label = "".join(map(_label, token.children or ())) or source
        if self._links:
            self._text.append(label)
            return
        self.open("a", {"href": source})
        self._text.append(label)
        self.close()


def _attributes(token: Token) -> _Attributes:
    """What of a token's attributes is shown: each of another name is dropped."""
    given = token.attrs
    if not given:
        return {}
    if token.type == "link_open":
        return {"href": str(given["href"])}
    if token.type == "ordered_list_open":
        return {"start": int(given["start"])}
    align = _ALIGNED.get(str(given.get("style")))
    return {"align": align} if align else {}


def _label(token: Token) -> str:
    """The plain text of an image's description."""
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return "".join(map(_label, token.children)) if token.children else token.content
