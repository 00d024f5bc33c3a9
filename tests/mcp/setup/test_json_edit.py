"""One entry in a JSON text of a host; everything else stays as it stands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_mcp.setup.faults import TextFaultError
from messenger_mcp.setup.json_edit import entry_in_json, with_json_entry
from messenger_mcp.setup.json_scan import Value, scan_json

PATH = ("mcpServers", "messenger")
ENTRY: dict[str, Value] = {"command": "uvx", "args": ["messenger-mcp"]}


def test_an_empty_file_becomes_a_document_with_the_entry() -> None:
    assert json.loads(with_json_entry("", PATH, ENTRY)) == {"mcpServers": {"messenger": ENTRY}}


def test_comments_order_and_commas_of_others_stay() -> None:
    before = """\
// servers of this project
{
    "theme": "dark", /* kept */
    "mcpServers": {
        "files": {"command": "files"}, // the first
    },
}
"""
    assert (
        with_json_entry(before, PATH, ENTRY)
        == """\
// servers of this project
{
    "theme": "dark", /* kept */
    "mcpServers": {
        "files": {"command": "files"}, // the first
        "messenger": {
            "command": "uvx",
            "args": [
                "messenger-mcp"
            ]
        }
    },
}
"""
    )


def test_the_comma_goes_before_the_comment_of_the_last_member() -> None:
    before = '{\n\t"a": 1 // one\n}\n'
    changed = with_json_entry(before, ("m",), {"x": 1})
    assert changed == '{\n\t"a": 1, // one\n\t"m": {\n\t\t"x": 1\n\t}\n}\n'


def test_an_entry_that_is_there_is_replaced_in_its_place() -> None:
    before = '{"mcpServers": {"messenger": {"url": "x"}, "z": 1}} // end'
    changed = with_json_entry(before, PATH, {"a": 1})
    assert changed.endswith(', "z": 1}} // end')
    assert scan_json(changed).value == {"mcpServers": {"messenger": {"a": 1}, "z": 1}}


def test_windows_line_ends_and_a_byte_order_mark_are_kept() -> None:
    changed = with_json_entry('\ufeff{\r\n  "a": 1\r\n}\r\n', PATH, ENTRY)
    assert changed.startswith("\ufeff{\r\n")
    assert changed.count("\n") == changed.count("\r\n")


def test_an_entry_is_found_and_its_absence_too() -> None:
    text = '{"mcpServers": {"messenger": {"a": 1}}}'
    assert entry_in_json(text, PATH) == {"a": 1}
    assert entry_in_json(text, ("servers", "messenger")) is None
    assert entry_in_json("", PATH) is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,\n "b" 2}', "line 2, column 6: a colon is expected"),
        ('{"a": 1', "line 1, column 8: '}' is missing at the end of the file"),
        ('{\n"a": 1\n"b": 2}', "line 3, column 1: a comma or '}' is expected"),
        ("{a: 1}", "line 1, column 2: a name in double quotes is expected"),
        ('{"a": yes}', "line 1, column 7: 'yes' is no JSON value"),
        ('{"a": NaN}', "line 1, column 7: 'NaN' is no JSON value"),
        ('{"a": "x', "line 1, column 7: this text has no closing quote"),
        ("{} {}", "line 1, column 4: nothing may follow the value"),
        ("{} /* open", "line 1, column 4: this comment has no end"),
        ('{"a": [1,,2]}', "line 1, column 10: a value is expected"),
        ('{"a":', "line 1, column 6: a value is missing at the end of the file"),
        ("[" * 5000, "line 1, column 101: the values are nested too deeply"),
        ("[1]", "line 1, column 1: an object ({…}) is expected here"),
        ('{"mcpServers": null}', "line 1, column 16: an object ({…}) is expected here"),
    ],
)
def test_a_broken_text_is_refused_with_the_place_of_its_fault(text: str, place: str) -> None:
    with pytest.raises(TextFaultError) as caught:
        with_json_entry(text, PATH, ENTRY)
    assert str(caught.value) == place


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    others=st.dictionaries(st.text(), json_values, max_size=4),
    servers=st.dictionaries(st.text(), json_values, max_size=3),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
)
def test_any_document_keeps_all_its_other_values(
    others: dict[str, object], servers: dict[str, object], indent: int | str | None
) -> None:
    document = {**others, "mcpServers": servers}
    changed = with_json_entry(json.dumps(document, indent=indent), PATH, ENTRY)
    assert json.loads(changed) == {**document, "mcpServers": {**servers, "messenger": ENTRY}}


@given(st.text(alphabet='{}[]",:/*\\\n 1a'))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        reason = f"line: {scan_json(text).value!r}"
    except TextFaultError as fault:
        reason = str(fault)
    assert reason.startswith("line")
