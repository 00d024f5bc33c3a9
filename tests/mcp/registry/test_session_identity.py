"""What names the host's session, and which project it works in."""

from pathlib import Path

import pytest

from messenger_mcp.project_identity import project_fingerprint
from messenger_mcp.session_identity import (
    SESSION_VARIABLES,
    codex_thread_id,
    names_its_session_in_calls,
    session_fingerprint,
    session_of_call,
    session_of_environment,
)


def test_the_first_variable_that_is_set_names_the_session() -> None:
    environ = {name: f"id of {name}" for name in SESSION_VARIABLES}
    found = []
    while session := session_of_environment(environ):
        found.append(session.source)
        assert session.fingerprint == session_fingerprint(environ.pop(session.source))

    assert found == [
        "MESSENGER_SESSION_KEY",
        "CLAUDE_CODE_SESSION_ID",
        "COPILOT_AGENT_SESSION_ID",
        "AGENT_SESSION_ID",
        "CODEX_THREAD_ID",
    ]


def test_an_empty_variable_counts_as_unset() -> None:
    assert session_of_environment({"MESSENGER_SESSION_KEY": " "}) is None


def test_codex_names_its_session_in_a_call_as_in_its_shell() -> None:
    meta = {"x-codex-turn-metadata": {"thread_id": "0199-a", "session_id": "0199-b"}}
    session = session_of_call(meta)
    in_shell = session_of_environment({"CODEX_THREAD_ID": "0199-a"})

    assert session is not None
    assert in_shell is not None
    assert session.fingerprint == in_shell.fingerprint
    assert session.source == "_meta x-codex-turn-metadata.thread_id"
    assert codex_thread_id({"x-codex-turn-metadata": '{"thread_id": "0199-a"}'}) == "0199-a"


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        {"x-codex-turn-metadata": None},
        {"x-codex-turn-metadata": "no json"},
        {"x-codex-turn-metadata": "\ud800"},
        {"x-codex-turn-metadata": "[]"},
        {"x-codex-turn-metadata": {"thread_id": 3}},
        {"x-codex-turn-metadata": {"thread_id": " "}},
        {"x-codex-turn-metadata": {"session_id": "0199-b"}},
    ],
)
def test_a_call_that_names_no_thread_names_no_session(meta: dict[str, object] | None) -> None:
    assert session_of_call(meta) is None


@pytest.mark.parametrize(("name", "expected"), [("codex-mcp-client", True), ("claude-code", False)])
def test_only_codex_is_waited_for(name: str, expected: bool) -> None:
    assert names_its_session_in_calls(name) is expected


def test_the_project_is_the_hosts_folder_before_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path / "link")

    here = project_fingerprint({})

    assert here is not None
    assert here == project_fingerprint({"CLAUDE_PROJECT_DIR": str(tmp_path / "link")})
    assert here != project_fingerprint({"CLAUDE_PROJECT_DIR": str(tmp_path)})


def test_a_working_folder_that_is_gone_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()

    assert project_fingerprint({}) is None
