"""The packaged migrations make exactly the schema that the program is written against."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, make_url, select
from sqlalchemy.schema import CreateIndex

from messenger_core import __version__, migrate
from messenger_core.schema import (
    SEARCH_TABLES,
    SYSTEM_FOLDER_IDS,
    counter,
    folder,
    installation,
    metadata,
)


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(Config(migrate.ini_path()))


@pytest.fixture
def upgraded(tmp_path: Path) -> Iterator[Connection]:
    engine = create_engine(f"sqlite:///{tmp_path / 'new.db'}")
    migrate.configure_sqlite(engine)
    with engine.begin() as connection:
        migrate.upgrade(connection)
        yield connection
    engine.dispose()


def test_an_upgrade_of_an_empty_database_gives_the_schema(upgraded: Connection) -> None:
    context = MigrationContext.configure(
        upgraded,
        opts={
            "compare_type": True,
            "include_name": lambda name, kind, _: kind != "table" or migrate.is_ours(name),
        },
    )
    assert compare_metadata(context, metadata) == []


def test_an_upgrade_makes_the_same_indexes_and_conditions_as_the_schema(
    upgraded: Connection, tmp_path: Path
) -> None:
    # Autogenerate does not look at the conditions of partial indexes, nor at WITHOUT ROWID.
    engine = create_engine(f"sqlite:///{tmp_path / 'schema.db'}")
    with engine.begin() as connection:
        metadata.create_all(connection)
        by_schema = _definitions(connection)
    engine.dispose()
    by_migration = _definitions(upgraded)
    assert by_migration.keys() == by_schema.keys()
    for name, definition in by_schema.items():
        assert sorted(by_migration[name]) == sorted(definition), name


def test_an_upgrade_writes_what_every_mailbox_shares(upgraded: Connection) -> None:
    rows = upgraded.execute(select(folder.c.name, folder.c.id)).all()
    assert {row.name: row.id for row in rows} == SYSTEM_FOLDER_IDS
    assert upgraded.execute(select(counter.c.seq, counter.c.change)).one() == (0, 0)
    assert upgraded.execute(select(installation.c.created_by)).scalar_one() == __version__
    assert migrate.upgraded_by(upgraded) == __version__
    assert set(SEARCH_TABLES) <= set(inspect(upgraded).get_table_names())


def test_there_is_one_newest_revision_and_the_program_knows_it(upgraded: Connection) -> None:
    assert _scripts().get_heads() == [migrate.HEAD_REVISION]
    assert migrate.current(upgraded) == migrate.HEAD_REVISION


def test_a_database_without_our_schema_has_no_revision(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    with engine.begin() as connection:
        assert migrate.current(connection) is None
    engine.dispose()


def test_packaged_revisions_are_known_and_others_are_newer() -> None:
    assert migrate.is_known(migrate.HEAD_REVISION)
    assert not migrate.is_known("9999")
    assert not migrate.is_known(None)


def test_an_index_is_as_partial_on_postgresql_as_on_sqlite() -> None:
    for index in (index for table in metadata.tables.values() for index in table.indexes):
        statements = {str(CreateIndex(index).compile(dialect=each)) for each in _DIALECTS}
        assert len(statements) == 1
        partial = index.dialect_options["sqlite"]["where"] is not None
        assert all((" WHERE " in statement) is partial for statement in statements)


_DIALECTS = [make_url(f"{each}://").get_dialect()() for each in ("sqlite", "postgresql+psycopg")]


def _definitions(connection: Connection) -> dict[str, set[str]]:
    """The words of every statement that made a table or an index, by its name."""
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {
        name: set(
            sql.replace(",", " ").replace("(", " ").replace(")", " ").replace('"', "").split()
        )
        for name, sql in rows
        if migrate.is_ours(name) and not name.startswith(("sqlite_", "alembic_"))
    }
