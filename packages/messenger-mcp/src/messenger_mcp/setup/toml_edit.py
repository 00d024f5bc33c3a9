"""Puts one table into a TOML text, and leaves comments and everything else as they stand."""

import re
import tomllib
from collections.abc import Mapping, MutableMapping, Sequence

import tomlkit
from tomlkit.container import OutOfOrderTableProxy
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from messenger_mcp.setup.faults import TextFaultError
from messenger_mcp.setup.json_scan import Value

_BYTE_ORDER_MARK = "\ufeff"


def entry_in_toml(text: str, path: Sequence[str]) -> object:
    """What stands at a path of names; `None` when nothing does.

    Raises:
        TextFaultError: the text is broken, or something on the path is no table.
    """
    found: object = _values(text)
    for name in path:
        if not isinstance(found, dict):
            raise TextFaultError(f"`{'.'.join(path[:-1])}` is no table")
        found = found.get(name)
        if found is None:
            return None
    return found


def with_toml_entry(text: str, path: Sequence[str], entry: Mapping[str, Value]) -> str:
    """The text with the entry as a table of its own, in place of what stood there.

    Raises:
        TextFaultError: the text is broken, something on the path is no table, or the library that
            edits it would change something else.
    """
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    is_there = entry_in_toml(text, path) is not None
    ways = (_replaced,) if is_there else (_appended, _replaced)
    expected = _merged(_values(text), path, entry)
    for way in ways:
        changed = way(text, path, entry)
        if _says(changed, expected):
            return mark + changed
    parent = ".".join(path[:-1])
    raise TextFaultError(
        f"`{parent}` is written in a form that cannot be edited safely: make each of its entries "
        f"one table, [{parent}.NAME], with what belongs to it right behind"
    )


def _values(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix(_BYTE_ORDER_MARK))
    except tomllib.TOMLDecodeError as error:
        raise TextFaultError(str(error)) from None
    except RecursionError:
        raise TextFaultError("the values are nested too deeply") from None


def _says(text: str, expected: dict[str, object]) -> bool:
    try:
        return _values(text) == expected
    except TextFaultError:
        return False


def _appended(text: str, path: Sequence[str], entry: Mapping[str, Value]) -> str:
    """The table at the end of the text: TOML lets a table stand anywhere."""
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + _document(path, entry).replace("\n", newline)


def _replaced(text: str, path: Sequence[str], entry: Mapping[str, Value]) -> str:
    """The text as the library edits it; an inline table stays one."""
    try:
        document = tomlkit.parse(text)
        parent: object = document
        for name in path[:-1]:
            assert isinstance(parent, MutableMapping)
            parent = parent[name]
        assert isinstance(parent, MutableMapping)
        before = parent.get(path[-1])
        if isinstance(before, OutOfOrderTableProxy):
            return text  # in several places, each perhaps with comments that lead the next table
        if isinstance(before, Table):
            after = tomlkit.table()
            after.update(entry)
            _add_comments(_last_table(after), _comments_behind(_last_table(before)))
            parent[path[-1]] = after
        else:
            parent[path[-1]] = dict(entry)
        changed = tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, ValueError):
        return text
    has_windows_lines = "\r\n" in text
    return re.sub(r"(?<!\r)\n", "\r\n", changed) if has_windows_lines else changed


def _comments_behind(table: Table) -> list[str]:
    """The lines after a table's last value: the library counts them in, but they lead the next."""
    lines = table.as_string().splitlines()
    last = max((at for at, line in enumerate(lines) if _is_content(line)), default=-1)
    return lines[last + 1 :]


def _last_table(table: Table) -> Table:
    """The one that a table's text ends with: itself, or the last that stands in it."""
    inner = [value for value in table.values() if isinstance(value, Table)]
    return _last_table(inner[-1]) if inner else table


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _add_comments(table: Table, comments: Sequence[str]) -> None:
    for line in comments:
        table.add(tomlkit.comment(line.strip()[1:].strip()) if line.strip() else tomlkit.nl())


def _document(path: Sequence[str], entry: Mapping[str, Value]) -> str:
    """The entry as TOML: its plain values first, each mapping in it as a table below."""
    lines = [f"[{'.'.join(path)}]"]
    below = {name: value for name, value in entry.items() if isinstance(value, dict)}
    lines += [
        f"{name} = {tomlkit.item(value).as_string()}"
        for name, value in entry.items()
        if name not in below
    ]
    text = "\n".join(lines) + "\n"
    return text + "".join("\n" + _document([*path, name], value) for name, value in below.items())


def _merged(
    values: dict[str, object], path: Sequence[str], entry: Mapping[str, Value]
) -> dict[str, object]:
    below: object = dict(entry)
    if len(path) > 1:
        inner = values.get(path[0], {})
        assert isinstance(inner, dict)
        below = _merged(inner, path[1:], entry)
    return {**values, path[0]: below}
