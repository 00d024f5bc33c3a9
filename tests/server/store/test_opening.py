"""Opening: a database is made where there is none, and no other file is ever touched."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from messenger_core.migrate import HEAD_REVISION
from messenger_core.schema import APPLICATION_ID, api_key
from messenger_core.wire.access import NewKey
from messenger_server.database import (
    Database,
    DatabaseRefused,
    ManyNames,
    NotOurs,
    SchemaAhead,
    SchemaBehind,
    Unusable,
    open_for_command,
)
from messenger_server.database.opening import prepare
from messenger_server.store.key_cards import list_keys
from messenger_server.store.keys import create_key

_KEY = NewKey(name="k", agent_name=None, lifetime_days=None)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _ask(path: Path, question: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(question).fetchone()[0]


@contextmanager
def _untouched(path: Path) -> Iterator[None]:
    """Fails when a byte of the file, or anything beside it, changes."""
    before = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())
    yield
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


async def test_where_there_is_no_file_a_database_is_made(tmp_path: Path) -> None:
    path = tmp_path / "data" / "messenger.db"
    database = Database.open(path)
    assert await database.read(list_keys, 0) == []
    assert (database.kind, database.revision) == ("sqlite", HEAD_REVISION)
    await database.close()
    assert _ask(path, "PRAGMA application_id") == APPLICATION_ID
    assert _ask(path, "PRAGMA journal_mode") == "wal"
    assert _ask(path, "SELECT version_num FROM alembic_version") == HEAD_REVISION


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_a_new_database_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "messenger.db"
    before = os.umask(0)
    try:
        prepare(path)
    finally:
        os.umask(before)
    assert (_mode(path.parent), _mode(path)) == (0o700, 0o600)


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "messenger.db"
    path.touch()
    prepare(path)
    assert _ask(path, "PRAGMA application_id") == APPLICATION_ID


def test_a_database_whose_making_was_cut_short_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "messenger.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    prepare(path)
    assert _ask(path, "SELECT version_num FROM alembic_version") == HEAD_REVISION


def test_an_existing_database_keeps_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "messenger.db"
    with open_for_command(path) as batch:
        created = create_key(batch, _KEY)
    with open_for_command(path) as batch:
        assert [key.id for key in list_keys(batch.connection, batch.now_ms)] == [created.key.id]


class TestForeignFiles:
    """What is not ours is refused, and stays as it is to the byte."""

    @pytest.mark.parametrize(
        "content",
        [b"notes\n", b"\0", b"SQLite format 3\0", b"\0" * 8192, b"SQLite format 3\0" + b"x" * 4080],
    )
    def test_a_file_of_another_kind_is_refused(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "messenger.db"
        path.write_bytes(content)
        with _untouched(path), pytest.raises(NotOurs, match=r"messenger\.db"):
            prepare(path)

    @pytest.mark.parametrize("journal_mode", ["DELETE", "WAL"])
    def test_a_database_of_another_program_is_refused(
        self, tmp_path: Path, journal_mode: str
    ) -> None:
        path = tmp_path / "other.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA journal_mode = {journal_mode}")
            connection.execute("CREATE TABLE message (id INTEGER)")
            connection.commit()
        with _untouched(path):
            with pytest.raises(NotOurs):
                prepare(path)
            with pytest.raises(NotOurs), open_for_command(path):
                pass

    def test_a_database_with_a_second_name_is_refused_by_each(self, base_path: Path) -> None:
        other = base_path.with_name("other.db")
        os.link(base_path, other)
        for path in (base_path, other):
            with _untouched(path):
                with pytest.raises(ManyNames, match=rf"{path.name} has 2 names.*remove"):
                    prepare(path)
                with pytest.raises(ManyNames), open_for_command(path):
                    pass
        other.unlink()
        prepare(base_path)

    def test_a_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(Unusable, match="directory"):
            prepare(tmp_path)

    @pytest.mark.skipif(os.name != "posix", reason="there are no devices, FIFOs and /proc")
    def test_what_is_no_regular_file_is_refused(self, tmp_path: Path) -> None:
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        for path in (Path(os.devnull), fifo):
            with pytest.raises(Unusable, match=f"{path}.*no regular file.*MESSENGER_DB_PATH"):
                prepare(path)
            with pytest.raises(Unusable), open_for_command(path):
                pass

    @pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="there is no /proc")
    def test_a_file_of_the_system_is_not_taken_for_an_empty_one(self) -> None:
        for name in ("/proc/self/comm", "/proc/version"):
            with pytest.raises(NotOurs, match=name):
                prepare(Path(name))

    def test_a_path_below_a_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(Unusable):
            prepare(tmp_path / "file" / "messenger.db")


class TestOtherVersions:
    """Only the revision of this version is opened."""

    def test_a_newer_database_is_refused_with_the_version_that_it_needs(
        self, base_path: Path
    ) -> None:
        with closing(sqlite3.connect(base_path)) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
            connection.execute("UPDATE installation SET upgraded_by = '7.8.9'")
            connection.commit()
        with _untouched(base_path), pytest.raises(SchemaAhead, match=r"9999.*7\.8\.9"):
            prepare(base_path)

    def test_an_older_database_is_refused_with_what_to_run(
        self, base_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("messenger_core.migrate.HEAD_REVISION", "9999")
        refused = pytest.raises(
            SchemaBehind, match=f"{HEAD_REVISION}.*9999.*messenger-server upgrade"
        )
        with _untouched(base_path), refused:
            prepare(base_path)

    def test_every_refusal_is_one_kind(self) -> None:
        assert all(
            issubclass(refusal, DatabaseRefused)
            for refusal in (NotOurs, SchemaAhead, SchemaBehind, Unusable)
        )


async def test_a_command_writes_beside_an_open_database(base_path: Path) -> None:
    database = Database.open(base_path)
    with open_for_command(base_path) as batch:
        created = create_key(batch, _KEY)
    assert [key.id for key in await database.read(list_keys, 0)] == [created.key.id]
    await database.write(create_key, _KEY)
    assert len(await database.read(list_keys, 0)) == 2
    await database.close()


def test_a_command_that_fails_leaves_nothing(base_path: Path) -> None:
    class Failure(Exception):
        pass

    def fail() -> None:
        with open_for_command(base_path) as batch:
            create_key(batch, _KEY)
            raise Failure

    with pytest.raises(Failure):
        fail()
    with open_for_command(base_path) as batch:
        assert batch.connection.execute(select(api_key.c.id)).all() == []
