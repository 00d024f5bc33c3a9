"""Databases of an older and of a newer version, and `messenger-server upgrade`."""

import json
import os
import re
import shutil
import sqlite3
import stat
from pathlib import Path

import httpx2
import pytest

import messenger_core
from support.server_process import ServerProcess

NEXT_MIGRATION = '''
"""A table that the next version brings."""
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

def upgrade():
    op.create_table("novelty", sa.Column("id", sa.Integer(), primary_key=True))
    op.execute("UPDATE installation SET upgraded_by = '9.8.7'")
    BREAK
'''


def next_version(folder: Path, *, breaks: bool = False) -> dict[str, str]:
    """The environment in which the next version of messenger-core runs: one migration more."""
    package = folder / "messenger_core"
    shutil.copytree(
        Path(messenger_core.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    migrate = package / "migrate.py"
    text = migrate.read_text(encoding="utf-8")
    assert 'HEAD_REVISION: Final = "0001"' in text
    migrate.write_text(
        text.replace('HEAD_REVISION: Final = "0001"', 'HEAD_REVISION: Final = "0002"'),
        encoding="utf-8",
    )
    (package / "migrations/versions/0002_novelty.py").write_text(
        NEXT_MIGRATION.replace("BREAK", "raise RuntimeError('half way')" if breaks else ""),
        encoding="utf-8",
    )
    return {"PYTHONPATH": str(folder)}


@pytest.fixture
def old(tmp_path: Path) -> ServerProcess:
    """A server of this version whose database holds a key."""
    server = ServerProcess(tmp_path / "home")
    server.folder.mkdir()
    server.create_key("planner")
    return server


@pytest.fixture
def newer(old: ServerProcess, tmp_path: Path) -> ServerProcess:
    """The next version on the same database."""
    return ServerProcess(old.folder, settings=next_version(tmp_path / "next"))


def tables(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    found = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema")}
    connection.close()
    return found


def backups(server: ServerProcess) -> list[Path]:
    return sorted(server.db_path.parent.glob("messenger.db.backup-*"))


@pytest.mark.parametrize("command", [[], ["keys", "list"]])
def test_an_older_database_is_refused_with_the_one_command_to_run(
    newer: ServerProcess, command: list[str]
) -> None:
    done = newer.run(*command)

    assert done.returncode == 2
    assert "run `messenger-server upgrade`" in done.stderr
    assert "0001" in done.stderr
    assert "0002" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "novelty" not in tables(newer.db_path)


def test_upgrade_copies_the_database_and_brings_it_to_this_version(newer: ServerProcess) -> None:
    done = newer.run("upgrade")

    assert done.returncode == 0, done.stderr
    (backup,) = backups(newer)
    assert re.fullmatch(r"messenger\.db\.backup-0001-\d{8}T\d{6}Z", backup.name)
    assert str(backup) in done.stdout
    assert "novelty" in tables(newer.db_path)
    assert "novelty" not in tables(backup)
    if os.name == "posix":
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with newer:
        keys = newer.run("keys", "list")
    assert "planner" in keys.stdout


def test_the_copy_is_a_database_that_the_older_version_takes(
    old: ServerProcess, newer: ServerProcess
) -> None:
    newer.run("upgrade")
    (backup,) = backups(newer)
    backup.replace(old.db_path)

    assert "planner" in old.run("keys", "list").stdout


def test_check_exits_with_3_when_behind_and_changes_nothing(newer: ServerProcess) -> None:
    before = newer.db_path.read_bytes()

    done = newer.run("upgrade", "--check")

    assert done.returncode == 3
    assert "0001" in done.stdout
    assert "0002" in done.stdout
    assert newer.db_path.read_bytes() == before
    assert backups(newer) == []


@pytest.mark.parametrize("arguments", [["upgrade"], ["upgrade", "--check"]])
def test_a_current_database_needs_nothing(old: ServerProcess, arguments: list[str]) -> None:
    done = old.run(*arguments)

    assert done.returncode == 0
    assert "nothing to do" in done.stdout
    assert backups(old) == []


def test_upgrade_without_a_database_makes_none(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)

    for arguments in (["upgrade"], ["upgrade", "--check"]):
        done = server.run(*arguments)
        assert done.returncode == 2
        assert str(server.db_path) in done.stderr
    assert not server.db_path.parent.exists()


def test_upgrade_refuses_while_a_server_runs(old: ServerProcess, newer: ServerProcess) -> None:
    with old:
        done = newer.run("upgrade")

        assert done.returncode == 2
        assert f"pid {old.process.pid} on port {old.port}" in done.stderr
        assert httpx2.get(f"{old.url}/health").status_code == 401
    assert backups(newer) == []
    assert "novelty" not in tables(newer.db_path)


def test_an_automatic_upgrade_happens_at_the_start_after_a_copy(
    old: ServerProcess, tmp_path: Path
) -> None:
    settings = next_version(tmp_path / "next") | {"MESSENGER_AUTO_UPGRADE": "1"}

    with ServerProcess(old.folder, settings=settings) as server:
        (backup,) = backups(server)
        assert str(backup) in server.log()
        assert "novelty" in tables(server.db_path)
        server.restart()
        assert len(backups(server)) == 1


def test_an_automatic_upgrade_makes_a_new_database_without_a_copy(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, settings={"MESSENGER_AUTO_UPGRADE": "1"}) as server:
        assert backups(server) == []


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    old: ServerProcess, tmp_path: Path
) -> None:
    settings = next_version(tmp_path / "next", breaks=True)
    broken = ServerProcess(old.folder, settings=settings)

    done = broken.run("upgrade")

    assert done.returncode == 1
    (backup,) = backups(old)
    assert str(backup) in done.stderr
    assert "half way" in done.stderr
    assert "Traceback" not in done.stderr
    assert "novelty" not in tables(old.db_path)
    assert "planner" in old.run("keys", "list").stdout


@pytest.mark.parametrize(
    "command", [[], ["keys", "list"], ["keys", "create", "x"], ["upgrade"], ["upgrade", "--check"]]
)
def test_a_newer_database_is_refused_and_says_which_version_it_needs(
    old: ServerProcess, newer: ServerProcess, command: list[str]
) -> None:
    newer.run("upgrade")
    before = old.db_path.read_bytes()

    done = old.run(*command)

    assert done.returncode == 2
    assert "9.8.7 or newer" in done.stderr
    assert old.db_path.read_bytes() == before


def test_json_of_a_key_survives_the_upgrade(newer: ServerProcess) -> None:
    newer.run("upgrade")

    made = json.loads(newer.run("keys", "create", "after", "--json").stdout)

    assert made["key"]["state"] == "active"
