"""Alembic's environment: which database the migrations run on.

A connection handed over by the caller (server, tests), else the URL in the configuration, else
MESSENGER_DATABASE_URL, else MESSENGER_DB_PATH.
"""

import os
from logging.config import fileConfig

from alembic import context
from sqlalchemy import Connection, create_engine, make_url
from sqlalchemy.engine import URL

from messenger_core.migrate import configure_sqlite, is_ours
from messenger_core.schema import metadata


def run() -> None:
    """Runs the wanted migrations."""
    connection = context.config.attributes.get("connection")
    if connection is not None:
        _migrate(connection)
        return
    # An operator's own file need not say how to log.
    if context.config.file_config.has_section("loggers") and context.config.config_file_name:
        fileConfig(context.config.config_file_name, disable_existing_loggers=False)
    if context.is_offline_mode():
        context.configure(url=_url(), target_metadata=metadata, literal_binds=True)
        with context.begin_transaction():
            context.run_migrations()
        return
    engine = create_engine(_url())
    if engine.dialect.name == "sqlite":
        configure_sqlite(engine)
    with engine.begin() as own:
        _migrate(own)
    engine.dispose()


def _migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        include_name=lambda name, kind, _parents: kind != "table" or is_ours(name),
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()


def _url() -> URL:
    """Where the database is.

    Raises:
        SystemExit: nothing names one.
    """
    configured = context.config.get_main_option("sqlalchemy.url")
    named = configured or os.environ.get("MESSENGER_DATABASE_URL")
    if named:
        url = make_url(named)
        return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url
    path = os.environ.get("MESSENGER_DB_PATH")
    if not path:
        raise SystemExit("set MESSENGER_DB_PATH or MESSENGER_DATABASE_URL: which database?")
    return URL.create("sqlite", database=path)


run()
