"""The tables of what is never sent and never written: each line of them, and what is near it."""

import os
from pathlib import Path, PurePosixPath

import pytest

from messenger_mcp.guarded_places import (
    SECRET_NAMES,
    SECRET_PLACES,
    STARTING_NAMES,
    STARTING_PLACES,
    STARTING_SYSTEM_PLACES,
    SYSTEM_PLACES,
)
from messenger_mcp.path_guard import (
    HEAD_BYTES,
    is_secret_by_another_name,
    why_not_read,
    why_not_send,
    why_not_write,
)

STATE = Path("/somewhere/state")
HOME = Path("/home/somebody")

ALWAYS_SECRET = [
    "/home/somebody/.ssh/id_ed25519",
    "/home/somebody/.ssh/config",
    "/srv/other/.ssh/authorized_keys",
    "/home/somebody/.gnupg/private-keys-v1.d/x.key",
    "/home/somebody/.aws/credentials",
    "/home/somebody/.config/gcloud/credentials.db",
    "/home/somebody/.kube/config",
    "/home/somebody/.docker/config.json",
    "/home/somebody/.netrc",
    "/home/somebody/.npmrc",
    "/home/somebody/.pypirc",
    "/home/somebody/project/.env",
    "/home/somebody/project/.env.local",
    "/home/somebody/project/.envrc",
    "/home/somebody/project/production.env",
    "/home/somebody/backup/id_rsa",
    "/home/somebody/backup/ID_RSA.old",
    "/home/somebody/certificates/site.pfx",
    "/etc/shadow",
    "/proc/self/environ",
    "/proc/1/cmdline",
    "/sys/kernel/notes",
    "/dev/sda",
    "/dev/shm/x",
    "/run/secrets/token",
    "/home/somebody/.mozilla/firefox/x.default/logins.json",
    "/home/somebody/.config/google-chrome/Default/Login Data",
    "/Users/somebody/Library/Application Support/Google/Chrome/Default/Cookies",
    "/Users/somebody/Library/Keychains/login.keychain-db",
    "/home/somebody/.mcp-messenger/watch/0123.json",
    "/somewhere/state/watch/0123.json",
    "/SOMEWHERE/State/watch/0123.json",
    "/home/somebody/.SSH/ID_ED25519",
    "/home/somebody/.Aws/Credentials",
]

NEVER_SECRET = [
    "/home/somebody/project/README.md",
    "/home/somebody/project/src/ssh/client.py",
    "/home/somebody/.sshd-notes/x.md",
    "/home/somebody/project/environment.yml",
    "/home/somebody/project/docker/config.json",
    "/home/somebody/.docker/daemon.json",
    "/home/somebody/keys/id_ed25519.pub",
    "/home/somebody/presentation.key",
    "/home/somebody/site.pem",
    "/somewhere/statement.txt",
    "/etc/hostname",
    "/process/notes.txt",
    "/home/somebody/.mcp.json",
    "/tmp/x",
]


@pytest.mark.parametrize("path", ALWAYS_SECRET)
def test_a_place_that_holds_secrets_is_never_read(path: str) -> None:
    assert why_not_read(Path(path), STATE)


@pytest.mark.parametrize("path", NEVER_SECRET)
def test_what_only_looks_like_a_secret_may_be_read(path: str) -> None:
    assert why_not_read(Path(path), STATE) is None


@pytest.mark.parametrize("place", SECRET_PLACES)
def test_every_place_of_the_table_is_guarded_in_any_case_and_whosever_home_it_is(
    place: str,
) -> None:
    for spelled in (place, place.upper(), place.title()):
        assert why_not_read(HOME / spelled, STATE)
        assert why_not_read(Path("/mnt/old/home/other") / spelled / "deep" / "x", STATE)
        assert why_not_write(HOME / spelled / "x", STATE)


@pytest.mark.parametrize("place", SYSTEM_PLACES)
def test_every_system_place_of_the_table_is_guarded(place: str) -> None:
    assert why_not_read(Path(place), STATE)
    assert why_not_read(Path(place) / "x", STATE)
    assert why_not_read(Path(f"{place}-notes.txt"), STATE) is None or f"{place}-" in SYSTEM_PLACES


@pytest.mark.parametrize("pattern", SECRET_NAMES)
def test_every_name_of_the_table_is_guarded_in_any_folder_and_case(pattern: str) -> None:
    name = pattern.replace("*", "x")
    for spelled in (name, name.upper()):
        assert why_not_read(HOME / "project" / spelled, STATE)
        assert why_not_write(HOME / "project" / spelled, STATE)


@pytest.mark.parametrize("place", STARTING_PLACES)
def test_nothing_is_written_where_a_program_looks_for_what_it_runs(place: str) -> None:
    assert why_not_write(HOME / place / "x", STATE)
    assert why_not_write(HOME / "project" / place.upper() / "deep" / "x", STATE)


@pytest.mark.parametrize("pattern", STARTING_NAMES)
def test_nothing_is_written_to_a_name_that_a_program_runs(pattern: str) -> None:
    assert why_not_write(HOME / pattern.replace("*", "x"), STATE)


@pytest.mark.parametrize(
    "path",
    [
        "CLAUDE.md",
        "Claude.local.MD",
        "AGENTS.md",
        "gemini.md",
        "opencode.jsonc",
        "conftest.py",
        "Makefile",
        "package.json",
        ".claude/anything/x",
        ".claude/worktrees/y/.claude/settings.json",
        ".claude/worktrees/y/CLAUDE.md",
        ".cursor/rules/x.mdc",
        ".cursorrules",
        ".windsurfrules",
        ".github/copilot-instructions.md",
        ".github/workflows/build.yml",
        ".pre-commit-config.yaml",
        ".gitattributes",
        ".vscode/tasks.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".envrc",
        "pyproject.toml",
        "setup.py",
        "sitecustomize.py",
    ],
)
def test_nothing_is_written_to_what_a_host_or_a_builder_obeys_in_a_project(path: str) -> None:
    assert why_not_write(HOME / "project" / path, STATE)


@pytest.mark.parametrize("place", STARTING_SYSTEM_PLACES)
def test_nothing_is_written_into_the_system(place: str) -> None:
    assert why_not_write(Path(place) / "cron.d" / "x", STATE)


@pytest.mark.parametrize(
    "path",
    [
        "/home/somebody/project/report.md",
        "/tmp/messenger-x/a.png",
        "/home/somebody/.claude/worktrees/x/report.md",
        "/home/somebody/.gitignore",
        "/home/somebody/project/CLAUDE.md.txt",
        "/home/somebody/project/package-notes.json",
        "/home/somebody/project/.github/README.md",
        "/home/somebody/etc/x",
    ],
)
def test_an_ordinary_place_may_be_written(path: str) -> None:
    assert why_not_write(Path(path), STATE) is None


def test_the_tables_are_in_the_case_that_paths_are_compared_in() -> None:
    tables = (
        SECRET_PLACES,
        SECRET_NAMES,
        SYSTEM_PLACES,
        STARTING_PLACES,
        STARTING_NAMES,
        STARTING_SYSTEM_PLACES,
    )
    for line in (line for table in tables for line in table):
        assert line == line.casefold()
        assert not line.endswith("/")
        assert PurePosixPath(line).as_posix() == line


def test_a_device_is_called_one() -> None:
    assert why_not_read(Path("/dev/zero"), STATE) == "it is a device"


PEM = b"-----BEGIN %s-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n"


@pytest.mark.parametrize(
    "head",
    [
        PEM % b"PRIVATE KEY",
        PEM % b"RSA PRIVATE KEY",
        PEM % b"EC PRIVATE KEY",
        PEM % b"ENCRYPTED PRIVATE KEY",
        PEM % b"OPENSSH PRIVATE KEY",
        PEM % b"PGP PRIVATE KEY BLOCK",
        b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nx",
        b"\xef\xbb\xbf" + PEM % b"PRIVATE KEY",
        b"\r\n\r\n  " + PEM % b"PRIVATE KEY",
        b"\xef\xbb\xbfBag Attributes\r\n-----BEGIN PRIVATE KEY-----\r\nx",
        PEM % b"CERTIFICATE" + b"-----END CERTIFICATE-----\n" + PEM % b"PRIVATE KEY",
        (PEM % b"PRIVATE KEY").decode().encode("utf-16"),
        (PEM % b"PRIVATE KEY").decode().encode("utf-16-be"),
        b"> quoted\n> -----BEGIN PRIVATE KEY-----\n",
        b'{"type":"service_account","private_key": "-----BEGIN PRIVATE KEY-----\\nMII"}',
        b"PuTTY-User-Key-File-3: ssh-ed25519\n",
        b"# created: 2026\nAGE-SECRET-KEY-1QQQ\n",
    ],
)
def test_a_private_key_is_known_by_its_content(head: bytes) -> None:
    assert why_not_send(head) == "it holds a private key"


def test_an_api_key_of_messenger_is_known_by_its_content() -> None:
    config = b'{"env": {"MESSENGER_API_KEY": "mk_%s"}}'
    assert "API key" in (why_not_send(config % (b"aZ09_-x" * 7)[:43]) or "")
    assert why_not_send(config % "…".encode()) is None
    assert why_not_send(config % b"a" * 42) is None


@pytest.mark.parametrize(
    "head",
    [
        b"",
        PEM % b"CERTIFICATE",
        PEM % b"PUBLIC KEY",
        b"The header is -----BEGIN PRIVATE KEY----- and then base64.",
        b'KEY = "-----BEGIN PRIVATE KEY-----"\n',
        b"ssh-ed25519 AAAAC3Nza somebody@example\n",
        b"\x00" * HEAD_BYTES,
        b"\n" * HEAD_BYTES,
        b" " * HEAD_BYTES,
        b"-" * HEAD_BYTES,
        b"-----BEGIN " + b"A " * (HEAD_BYTES // 2),
    ],
)
def test_what_holds_no_key_may_be_sent(head: bytes) -> None:
    assert why_not_send(head) is None


def test_a_hard_link_to_a_secret_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / ".aws" / "sso").mkdir(parents=True)
    (tmp_path / ".aws" / "sso" / "token").write_text("x")
    (tmp_path / ".netrc").write_text("x")
    for number, secret in enumerate((tmp_path / ".aws" / "sso" / "token", tmp_path / ".netrc")):
        os.link(secret, tmp_path / f"notes{number}.txt")
        found = (tmp_path / f"notes{number}.txt").stat()
        assert is_secret_by_another_name(found.st_dev, found.st_ino)
    plain = tmp_path / "plain.txt"
    plain.write_text("x")
    assert not is_secret_by_another_name(plain.stat().st_dev, plain.stat().st_ino)
