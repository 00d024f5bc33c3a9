"""Reads JSON with comments and trailing commas, and remembers where everything stands.

What the hosts accept beyond JSON is accepted here: `//` and `/* */` comments, a comma after the
last member. Anything else is a fault with its place.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from messenger_mcp.setup.faults import TextFaultError

_DEPTH_MAX = 100
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD = re.compile(r"[^\s,:\[\]{}\"/]+")

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]


@dataclass(slots=True)
class Member:
    """One member of an object."""

    name: str
    start: int
    """Where its name begins."""
    value: "Node"


@dataclass(slots=True)
class Node:
    """A value with the place where it stands: `text[start:end]`."""

    start: int
    end: int
    value: Value
    members: list[Member] | None = None
    """Of an object, as they stand; `None` for anything else."""
    content_end: int = 0
    """Of an object: after its last member, comma or comment."""
    has_final_comma: bool = False

    def find(self, name: str) -> Member | None:
        """The member of this name; of several the last, as JSON's readers take it."""
        return next((one for one in reversed(self.members or []) if one.name == name), None)


def scan_json(text: str) -> Node:
    """The value of a text.

    Raises:
        TextFaultError: it is not JSON, comments and trailing commas apart.
    """
    scanner = _Scanner(text)
    scanner.skip_blank()
    root = scanner.value()
    scanner.skip_blank()
    if scanner.position < len(text):
        raise scanner.fault("nothing may follow the value")
    return root


@dataclass(slots=True)
class _Scanner:
    text: str
    position: int = 0
    depth: int = 0

    def fault(self, reason: str) -> TextFaultError:
        return TextFaultError.at(self.text, self.position, reason)

    def skip_blank(self) -> None:
        match = _BLANK.match(self.text, self.position)
        assert match is not None
        self.position = match.end()
        if self.text.startswith("/*", self.position):
            raise self.fault("this comment has no end")

    def value(self) -> Node:
        match self.text[self.position : self.position + 1]:
            case "{":
                return self._nested(self._object)
            case "[":
                return self._nested(self._array)
            case '"':
                return self._string()
            case "":
                raise self.fault("a value is missing at the end of the file")
            case _:
                return self._word()

    def _nested(self, scan: Callable[[], Node]) -> Node:
        if self.depth >= _DEPTH_MAX:
            raise self.fault("the values are nested too deeply")
        self.depth += 1
        node = scan()
        self.depth -= 1
        return node

    def _object(self) -> Node:
        node = Node(self.position, 0, {}, members=[])
        assert node.members is not None
        while self._goes_on(node, "}"):
            start = self.position
            if self.text[start] != '"':
                raise self.fault("a name in double quotes is expected")
            name = self._string().value
            assert isinstance(name, str)
            self.skip_blank()
            if not self.text.startswith(":", self.position):
                raise self.fault("a colon is expected")
            self.position += 1
            self.skip_blank()
            node.members.append(Member(name, start, self.value()))
        node.value = {member.name: member.value.value for member in node.members}
        return node

    def _array(self) -> Node:
        node = Node(self.position, 0, [])
        items: list[Value] = []
        while self._goes_on(node, "]"):
            items.append(self.value().value)
        node.value = items
        return node

    def _goes_on(self, node: Node, closing: str) -> bool:
        """Whether another item follows; at the end the node is completed."""
        is_first = node.start == self.position
        if is_first:
            self.position += 1
        node.content_end = self.position
        self.skip_blank()
        node.has_final_comma = False
        if not is_first and self.text.startswith(",", self.position):
            self.position += 1
            node.has_final_comma = True
            self.skip_blank()
        elif not is_first and self.text[self.position : self.position + 1] not in {closing, ""}:
            raise self.fault(f"a comma or {closing!r} is expected")
        if self.position >= len(self.text):
            raise self.fault(f"{closing!r} is missing at the end of the file")
        if not self.text.startswith(closing, self.position):
            return True
        node.content_end = len(self.text[: self.position].rstrip())
        self.position += 1
        node.end = self.position
        return False

    def _string(self) -> Node:
        match = _STRING.match(self.text, self.position)
        if match is None:
            raise self.fault("this text has no closing quote")
        return self._read(match)

    def _word(self) -> Node:
        match = _WORD.match(self.text, self.position)
        if match is None:
            raise self.fault("a value is expected")
        return self._read(match)

    def _read(self, match: re.Match[str]) -> Node:
        try:
            value: Value = json.loads(match[0], parse_constant=_refuse_constant)
        except ValueError:
            shown = match[0] if len(match[0]) <= 20 else match[0][:20] + "…"
            raise self.fault(f"{shown!r} is no JSON value") from None
        self.position = match.end()
        return Node(match.start(), match.end(), value)


def _refuse_constant(word: str) -> Value:
    raise ValueError(word)
