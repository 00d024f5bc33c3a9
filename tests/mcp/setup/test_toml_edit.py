"""One table in a TOML text of a host; comments and everything else stay as they stand."""

import tomllib

import pytest

from messenger_mcp.setup.faults import TextFaultError
from messenger_mcp.setup.json_scan import Value
from messenger_mcp.setup.toml_edit import entry_in_toml, with_toml_entry

PATH = ("mcp_servers", "messenger")
ENTRY: dict[str, Value] = {
    "command": "uvx",
    "args": ["messenger-mcp"],
    "env": {"MESSENGER_API_KEY": ""},
}
TABLE = """\
[mcp_servers.messenger]
command = "uvx"
args = ["messenger-mcp"]

[mcp_servers.messenger.env]
MESSENGER_API_KEY = ""
"""


def test_an_empty_file_becomes_the_entry() -> None:
    assert with_toml_entry("", PATH, ENTRY) == TABLE


@pytest.mark.parametrize(
    "before",
    [
        '# mine\nmodel = "o"   # kept\n',
        '[mcp_servers]\na = {command = "x"} # hi\n',
        'mcp_servers.a.command = "x"\n[mcp_servers.b]\nc = 1\n[other]\nz = 1\n',
        'text = """\n[mcp_servers.messenger]\n"""\n',
    ],
)
def test_an_entry_is_added_behind_what_is_there(before: str) -> None:
    assert with_toml_entry(before, PATH, ENTRY) == before + "\n" + TABLE


def test_a_last_line_without_an_end_is_not_joined() -> None:
    assert with_toml_entry("a = 1", PATH, ENTRY) == "a = 1\n\n" + TABLE


def test_a_closed_table_takes_the_entry_inside() -> None:
    changed = with_toml_entry('mcp_servers = {a = {command = "x"}} # hi\n', PATH, ENTRY)
    assert tomllib.loads(changed)["mcp_servers"] == {"a": {"command": "x"}, "messenger": ENTRY}
    assert changed.endswith("# hi\n")


def test_a_replaced_entry_leaves_the_comments_before_the_next_table() -> None:
    before = (
        "# top\n[mcp_servers.messenger] # old\nurl = 'x'\n[mcp_servers.messenger.env]\nQ = '1'\n"
        "\n# about other\n[other]\nz=1 # z\n[mcp_servers.z]\ncommand='1'\n"
    )
    changed = with_toml_entry(before, PATH, ENTRY)
    assert tomllib.loads(changed) == {
        "mcp_servers": {"messenger": ENTRY, "z": {"command": "1"}},
        "other": {"z": 1},
    }
    assert changed.startswith("# top\n")
    assert changed.endswith("[other]\nz=1 # z\n[mcp_servers.z]\ncommand='1'\n")
    assert "\n# about other\n" in changed


def test_windows_line_ends_are_kept() -> None:
    for before in ("a = 1\r\n", "[mcp_servers.messenger]\r\nurl = 'x'\r\n\r\n# b\r\n[b]\r\n"):
        changed = with_toml_entry(before, PATH, ENTRY)
        assert changed.count("\n") == changed.count("\r\n")
        assert entry_in_toml(changed, PATH) == ENTRY


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = \n", "line 1, column 5"),
        ("[x\n", "line 1, column 3"),
        ("mcp_servers = 3\n", "`mcp_servers` is no table"),
        ("mcp_servers.messenger.command = 'x'\nmcp_servers.k.c = 'x'\n", "cannot be edited safely"),
        (
            "[mcp_servers.messenger]\nc = 1\n# keep\n[o]\n[mcp_servers.messenger.env]\nA = '1'\n",
            "cannot be edited safely",
        ),
    ],
)
def test_what_is_broken_or_cannot_be_edited_is_refused(text: str, reason: str) -> None:
    with pytest.raises(TextFaultError, match=reason):
        with_toml_entry(text, PATH, ENTRY)
