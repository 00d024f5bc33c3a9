"""Puts one entry into a JSON text, and leaves every other character as it stands."""

import json
import re
from collections.abc import Mapping, Sequence

from messenger_mcp.setup.faults import TextFaultError
from messenger_mcp.setup.json_scan import Node, Value, scan_json

_DEFAULT_INDENT = "  "
_BYTE_ORDER_MARK = "\ufeff"


def entry_in_json(text: str, path: Sequence[str]) -> Value:
    """What stands at a path of names; `None` when nothing does.

    Raises:
        TextFaultError: the text is broken, or something on the path is no object.
    """
    node = _root(text)
    for name in path:
        _require_object(text, node)
        member = node.find(name)
        if member is None:
            return None
        node = member.value
    return node.value


def with_json_entry(text: str, path: Sequence[str], entry: Mapping[str, Value]) -> str:
    """The text with the entry at a path of names, in place of what stood there.

    Objects on the way are made when missing. An empty text becomes a new document.

    Raises:
        TextFaultError: the text is broken, or something on the path is no object.
    """
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    if not text.strip():
        return mark + _dump(_wrapped(path, entry), _DEFAULT_INDENT) + "\n"
    root = _root(text)
    changed = _changed(text, root, path, entry)
    expected = _merged(root.value, path, entry)
    assert scan_json(changed).value == expected, "the edit would change something else"
    return mark + changed


def _root(text: str) -> Node:
    text = text.removeprefix(_BYTE_ORDER_MARK)
    if not text.strip():
        return Node(0, 0, {}, members=[])
    return scan_json(text)


def _changed(text: str, root: Node, path: Sequence[str], entry: Mapping[str, Value]) -> str:
    node = root
    for position, name in enumerate(path):
        _require_object(text, node)
        member = node.find(name)
        if member is None:
            return _insert(text, node, name, _wrapped(path[position + 1 :], entry), root)
        node = member.value
    written = _indented(_dump(entry, _indent(text, root)), _line_indent(text, node.start), text)
    return text[: node.start] + written + text[node.end :]


def _insert(text: str, node: Node, name: str, value: Value, root: Node) -> str:
    """The text with one more member at the end of an object.

    No comma follows it, also where one ended the object: not every host reads such a comma.
    """
    comma = "" if not node.members or node.has_final_comma else ","
    if node.members and "\n" not in text[node.start : node.end]:
        member = f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        return text[: node.content_end] + comma + member + text[node.content_end :]
    unit, newline = _indent(text, root), _newline(text)
    outer = _line_indent(text, node.start)
    inner = _line_indent(text, node.members[0].start) if node.members else outer + unit
    member = f"{newline}{inner}{json.dumps(name)}: " + _indented(_dump(value, unit), inner, text)
    rest = text[node.content_end :]
    if "\n" not in text[node.content_end : node.end]:
        rest = newline + outer + text[node.end - 1 :]
    # The comma belongs to the member before, which a comment may follow.
    after_last = node.members[-1].value.end if node.members else node.content_end
    return text[:after_last] + comma + text[after_last : node.content_end] + member + rest


def _require_object(text: str, node: Node) -> None:
    if node.members is None:
        raise TextFaultError.at(text, node.start, "an object ({…}) is expected here")


def _wrapped(path: Sequence[str], entry: Mapping[str, Value]) -> dict[str, Value]:
    wrapped: dict[str, Value] = dict(entry)
    for name in reversed(path):
        wrapped = {name: wrapped}
    return wrapped


def _merged(value: Value, path: Sequence[str], entry: Mapping[str, Value]) -> Value:
    if not path:
        return dict(entry)
    assert isinstance(value, dict)
    below = _merged(value.get(path[0], {}), path[1:], entry)
    return {**value, path[0]: below}


def _dump(value: Value | Mapping[str, Value], indent: str) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False)


def _indented(written: str, outer: str, text: str) -> str:
    return written.replace("\n", _newline(text) + outer)


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent(text: str, root: Node) -> str:
    """One step of indentation, as the file has it."""
    if root.members:
        found = re.search(r"[ \t]+$", text[root.start : root.members[0].start])
        if found and "\n" in text[root.start : root.members[0].start]:
            return found[0]
    return _DEFAULT_INDENT
