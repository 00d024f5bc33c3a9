"""Migrations of a database: where it stands, and how it gets to this version's schema."""

from importlib.resources import files
from typing import Any, Final

from sqlalchemy import Connection, Engine, event, inspect, select

from messenger_core.schema import SEARCH_TABLES, installation

HEAD_REVISION: Final = "0001"
"""The newest revision; a test holds it against the packaged migrations."""


def ini_path() -> str:
    """The packaged configuration, for `alembic -c`."""
    return str(files("messenger_core") / "alembic.ini")


def current(connection: Connection) -> str | None:
    """The revision that a database stands at; `None` when it holds no schema of ours."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
    return None if row is None else str(row[0])


def upgraded_by(connection: Connection) -> str:
    """The version of messenger-core that last migrated this database."""
    return connection.execute(select(installation.c.upgraded_by)).scalar_one()


def is_known(revision: str | None) -> bool:
    """Whether this version has the migration that leads to a revision; else it is a newer one."""
    # Asked only where the revision is not the newest, so that no start pays for Alembic.
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(Config(ini_path()))
    return revision in {script.revision for script in scripts.walk_revisions()}


def upgrade(connection: Connection) -> None:
    """Brings a database to the newest revision, in the caller's transaction; an empty one too."""
    # Only a migration pays for Alembic: a server whose base is current starts without it.
    from alembic import command
    from alembic.config import Config

    config = Config(ini_path())
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def configure_sqlite(engine: Engine) -> None:
    """Makes every connection of a SQLite engine behave as the server expects.

    Transactions begin when SQLAlchemy says so, foreign keys hold, a locked file is waited for, and
    checkpoints are left to the server's writer.
    """

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: object) -> None:  # Any: the driver's own type
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA busy_timeout = 10000")
        connection.execute("PRAGMA wal_autocheckpoint = 0")

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def is_ours(table_name: str | None) -> bool:
    """Whether Alembic compares this table: full-text tables and their shadows are our own DDL."""
    return table_name is None or not table_name.startswith(SEARCH_TABLES)
