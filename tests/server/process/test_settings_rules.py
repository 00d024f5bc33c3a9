"""Which settings the server takes, which it refuses, and in which words."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from messenger_server.config import (
    RETIRED,
    SETTINGS,
    ServerConfig,
    SettingError,
    database_path,
)

ROOT = Path(__file__).parents[3]


def refusal(**environment: str) -> str:
    with pytest.raises(SettingError) as caught:
        ServerConfig.from_env(environment)
    return str(caught.value)


def test_an_empty_environment_gives_the_documented_defaults() -> None:
    config = ServerConfig.from_env({})

    assert config == ServerConfig(
        port=3600,
        db_path=Path.cwd() / "data" / "messenger.db",
        trust_proxy=1,
        rate_limit_max=600,
        rate_limit_window=timedelta(minutes=15),
        trash_retention=timedelta(days=30),
        max_wait=timedelta(seconds=300),
        auto_upgrade=False,
        log_level="info",
        log_format="text",
    )


def test_every_default_written_out_means_the_same_as_nothing() -> None:
    written = {setting.name: setting.default for setting in SETTINGS}

    assert ServerConfig.from_env(written) == ServerConfig.from_env({})


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
@pytest.mark.parametrize("nothing", ["", "  ", "\t"])
def test_an_empty_value_counts_as_unset(setting: tuple[str, ...], nothing: str) -> None:
    assert ServerConfig.from_env({setting[0]: nothing}) == ServerConfig.from_env({})


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("MESSENGER_PORT", "1", "port", 1),
        ("MESSENGER_PORT", "65535", "port", 65535),
        ("MESSENGER_PORT", " 4000\r", "port", 4000),
        ("MESSENGER_DB_PATH", "/srv/mail box/m.db", "db_path", Path("/srv/mail box/m.db")),
        ("MESSENGER_TRUST_PROXY", "2", "trust_proxy", 2),
        ("MESSENGER_TRUST_PROXY", "loopback", "trust_proxy", "loopback"),
        ("MESSENGER_TRUST_PROXY", "false", "trust_proxy", None),
        ("MESSENGER_TRUST_PROXY", "FALSE", "trust_proxy", None),
        ("MESSENGER_RATE_LIMIT_MAX", "0", "rate_limit_max", 0),
        ("MESSENGER_RATE_LIMIT_WINDOW_MINUTES", "1", "rate_limit_window", timedelta(minutes=1)),
        ("MESSENGER_TRASH_RETENTION_DAYS", "0", "trash_retention", None),
        ("MESSENGER_TRASH_RETENTION_DAYS", "7", "trash_retention", timedelta(days=7)),
        ("MESSENGER_MAX_WAIT_SECONDS", "5", "max_wait", timedelta(seconds=5)),
        ("MESSENGER_AUTO_UPGRADE", "1", "auto_upgrade", True),
        ("MESSENGER_LOG_LEVEL", "warning", "log_level", "warning"),
        ("MESSENGER_LOG_LEVEL", "Debug", "log_level", "debug"),
        ("MESSENGER_LOG_FORMAT", "json", "log_format", "json"),
        ("MESSENGER_HOST", "127.0.0.1", "port", 3600),
    ],
)
def test_an_allowed_value_is_taken(name: str, text: str, field: str, value: object) -> None:
    assert getattr(ServerConfig.from_env({name: text}), field) == value


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("MESSENGER_PORT", "0", "1 to 65535"),
        ("MESSENGER_PORT", "65536", "1 to 65535"),
        ("MESSENGER_PORT", "-1", "1 to 65535"),
        ("MESSENGER_PORT", "3_600", "1 to 65535"),
        ("MESSENGER_PORT", "٣٦٠٠", "1 to 65535"),
        ("MESSENGER_PORT", "http", "1 to 65535"),
        ("MESSENGER_PORT", "9" * 5000, "1 to 65535"),
        ("MESSENGER_HOST", "0.0.0.0", "127.0.0.1"),
        ("MESSENGER_HOST", "localhost", "127.0.0.1"),
        ("MESSENGER_HOST", "::1", "127.0.0.1"),
        ("MESSENGER_HOST", "127.0.0.2", "127.0.0.1"),
        ("MESSENGER_TRUST_PROXY", "true", "`loopback` or `false`"),
        ("MESSENGER_TRUST_PROXY", "0", "`loopback` or `false`"),
        ("MESSENGER_TRUST_PROXY", "33", "1 to 32"),
        ("MESSENGER_TRUST_PROXY", "-1", "1 to 32"),
        ("MESSENGER_TRUST_PROXY", "10.0.0.1", "`loopback` or `false`"),
        ("MESSENGER_RATE_LIMIT_MAX", "-5", "0 to 1000000000"),
        ("MESSENGER_RATE_LIMIT_MAX", "many", "0 to 1000000000"),
        ("MESSENGER_RATE_LIMIT_WINDOW_MINUTES", "0", "1 to 1440"),
        ("MESSENGER_TRASH_RETENTION_DAYS", "1.5", "0 to 36500"),
        ("MESSENGER_MAX_WAIT_SECONDS", "0", "1 to 3600"),
        ("MESSENGER_MAX_WAIT_SECONDS", "1e3", "1 to 3600"),
        ("MESSENGER_AUTO_UPGRADE", "yes", "0 or 1"),
        ("MESSENGER_LOG_LEVEL", "loud", "debug, info, warning or error"),
        ("MESSENGER_LOG_FORMAT", "xml", "text or json"),
    ],
)
def test_a_wrong_value_is_named_with_its_variable_and_what_is_allowed(
    name: str, text: str, allowed: str
) -> None:
    sentence = refusal(**{name: text})

    assert sentence.startswith(f"{name} is ")
    assert repr(text)[:80] in sentence
    assert allowed in sentence
    assert len(sentence) < 400


@pytest.mark.parametrize("name", RETIRED)
def test_a_retired_variable_refuses_the_start_and_says_what_to_do(name: str) -> None:
    sentence = refusal(**{name: "old-secret-value"})

    assert sentence.startswith(f"{name} is retired: unset it; {RETIRED[name]}")
    assert "old-secret-value" not in sentence


def test_all_retired_variables_are_named_at_once() -> None:
    sentence = refusal(**dict.fromkeys(RETIRED, "old-secret-value"))

    assert all(name in sentence for name in RETIRED)


def test_an_empty_retired_variable_counts_as_unset() -> None:
    assert ServerConfig.from_env(dict.fromkeys(RETIRED, "")) == ServerConfig.from_env({})


def test_another_kind_of_database_is_refused_without_showing_its_password() -> None:
    sentence = refusal(MESSENGER_DATABASE_URL="postgresql://mail:hush@db/mail")

    assert "MESSENGER_DATABASE_URL" in sentence
    assert "SQLite" in sentence
    assert "MESSENGER_DB_PATH" in sentence
    assert "hush" not in sentence


def test_commands_need_the_path_of_the_database_alone() -> None:
    environment = {"MESSENGER_PORT": "wrong", "MESSENGER_TOKEN": "t", "MESSENGER_DB_PATH": "/a/b"}

    assert database_path(environment) == Path("/a/b")


def test_the_settings_page_shows_every_setting_and_no_other() -> None:
    page = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")

    for setting in SETTINGS:
        default = f"`{setting.default}`" if setting.default else "–"
        assert f"| `{setting.name}` | {default} | {setting.help} |" in page
    assert set(re.findall(r"MESSENGER_[A-Z_]+", page)) == {
        *(setting.name for setting in SETTINGS),
        *RETIRED,
    }


def test_the_example_environment_lists_every_setting_with_its_default() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")

    assert re.findall(r"^#?(MESSENGER_[A-Z_]+)=(.*)$", example, re.MULTILINE) == [
        (setting.name, setting.default) for setting in SETTINGS
    ]
    words = " ".join(line.lstrip("# ") for line in example.splitlines())
    assert all(setting.help in words for setting in SETTINGS)
