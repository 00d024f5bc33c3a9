"""The client's settings: what is allowed, what is refused, and that the key is never repeated."""

import os
from pathlib import Path

import pytest

from messenger_mcp.config import ClientConfig, LocalConfig, SettingError

GIVEN = {"MESSENGER_SERVER_URL": "http://127.0.0.1:3600/", "MESSENGER_API_KEY": "mk_secret"}


def _refusal(**changed: str) -> str:
    with pytest.raises(SettingError) as refused:
        ClientConfig.from_env({**GIVEN, **changed})
    return str(refused.value)


def test_two_variables_are_enough() -> None:
    config = ClientConfig.from_env(GIVEN)

    assert config == ClientConfig(
        server_url="http://127.0.0.1:3600",
        api_key="mk_secret",
        fixed_address=None,
        agent_name=None,
        agent_description=None,
        timeout_seconds=15.0,
        state_dir=Path.home() / ".mcp-messenger",
        session_key=None,
        attachment_roots=None,
        leaves_handoff_at_start=False,
    )


def test_every_variable_is_read() -> None:
    config = ClientConfig.from_env(
        {
            **GIVEN,
            "MESSENGER_SERVER_URL": "https://mail.example.org/messenger//",
            "MESSENGER_AGENT_ID": "planner",
            "MESSENGER_AGENT_NAME": " The planner ",
            "MESSENGER_AGENT_DESCRIPTION": "plans",
            "MESSENGER_TIMEOUT_MS": "2500",
            "MESSENGER_STATE_DIR": "~/state",
            "MESSENGER_SESSION_KEY": "nightly",
            "MESSENGER_ATTACHMENT_ROOTS": os.pathsep.join(["~/a", "", "/b/../c"]),
            "HOME": "/home/somebody",
        }
    )

    assert config.server_url == "https://mail.example.org/messenger"
    assert config.fixed_address == "planner"
    assert config.agent_name == "The planner"
    assert config.agent_description == "plans"
    assert config.timeout_seconds == 2.5
    assert config.state_dir == Path("/home/somebody/state")
    assert config.session_key == "nightly"
    assert config.attachment_roots == (Path("/home/somebody/a"), Path("/c"))


def test_an_empty_value_counts_as_unset() -> None:
    names = ["AGENT_ID", "AGENT_NAME", "TIMEOUT_MS", "STATE_DIR", "TOKEN", "ATTACHMENT_ROOTS"]
    empty = {f"MESSENGER_{name}": "" for name in names}

    assert ClientConfig.from_env({**GIVEN, **empty}) == ClientConfig.from_env(GIVEN)


@pytest.mark.parametrize("name", ["MESSENGER_SERVER_URL", "MESSENGER_API_KEY"])
def test_a_missing_variable_is_named(name: str) -> None:
    assert f"{name} is not set" in _refusal(**{name: ""})


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:3600",
        "ftp://127.0.0.1",
        "http://",
        "http:///path",
        "http://host:port",
        "http://host:99999",
        "http://host:0",
        "http://ho st",
        "http://host\n.example",
        "http://[::1",
        "http://host\\path",
    ],
)
def test_a_server_url_that_is_none_is_named_with_its_value(url: str) -> None:
    text = _refusal(MESSENGER_SERVER_URL=url)

    assert "MESSENGER_SERVER_URL" in text
    assert repr(url) in text
    assert "http://127.0.0.1:3600" in text


@pytest.mark.parametrize(
    "url", ["http://me:secret@host", "http://host/?token=secret", "http://host/#secret"]
)
def test_a_server_url_that_may_hold_a_secret_is_refused_without_repeating_it(url: str) -> None:
    text = _refusal(MESSENGER_SERVER_URL=url)

    assert "MESSENGER_SERVER_URL" in text
    assert "secret" not in text


@pytest.mark.parametrize(
    "key", ["secret", "mk_", "mk_se cret", "mk_secrét", "mk_secret\nX-Other: y"]
)
def test_a_key_that_is_none_is_refused_without_repeating_it(key: str) -> None:
    text = _refusal(MESSENGER_API_KEY=key)

    assert "MESSENGER_API_KEY" in text
    assert "cr" not in text.replace("characters", "")


@pytest.mark.parametrize("address", ["Planner", "box_", "box_00", "a" * 65, "../x", ".x", "pläne"])
def test_a_fixed_address_without_its_form_is_refused(address: str) -> None:
    text = _refusal(MESSENGER_AGENT_ID=address)

    assert "MESSENGER_AGENT_ID" in text
    assert repr(address) in text


def test_an_address_that_the_server_gave_may_be_fixed() -> None:
    config = ClientConfig.from_env({**GIVEN, "MESSENGER_AGENT_ID": "box_00000000000000aa"})

    assert config.fixed_address == "box_00000000000000aa"


@pytest.mark.parametrize(
    ("name", "limit"), [("MESSENGER_AGENT_NAME", 120), ("MESSENGER_AGENT_DESCRIPTION", 1000)]
)
def test_names_have_the_limits_of_the_server(name: str, limit: int) -> None:
    ClientConfig.from_env({**GIVEN, name: "é" * limit})
    text = _refusal(**{name: "é" * (limit + 1)})

    assert name in text
    assert f"at most {limit}" in text


def test_a_name_that_is_no_text_is_refused() -> None:
    assert "UTF-8" in _refusal(MESSENGER_AGENT_NAME="caf\udce9")


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "15s", "3600001", "9" * 5000, "١٥"])
def test_a_timeout_that_is_no_number_of_milliseconds_is_refused(value: str) -> None:
    text = _refusal(MESSENGER_TIMEOUT_MS=value)

    assert "MESSENGER_TIMEOUT_MS" in text
    assert value[:10] in text
    assert "from 1 to 3600000" in text


def test_the_retired_variable_is_refused_without_repeating_it() -> None:
    text = _refusal(MESSENGER_TOKEN="old-secret")

    assert "MESSENGER_TOKEN is retired" in text
    assert "old-secret" not in text
    with pytest.raises(SettingError):
        LocalConfig.from_env({"MESSENGER_TOKEN": "old-secret"})


def test_the_key_is_not_in_the_settings_representation() -> None:
    assert "mk_secret" not in repr(ClientConfig.from_env(GIVEN))


def test_a_relative_state_folder_is_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert LocalConfig.from_env({"MESSENGER_STATE_DIR": "s"}).state_dir == tmp_path / "s"
