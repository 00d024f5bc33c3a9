"""What a server holds in memory: nothing that it merely finds installed beside it."""

import subprocess
import sys
from pathlib import Path

from messenger_server.database.opening import prepare

_PROGRAM = """
import asyncio
import sys
from pathlib import Path
from messenger_server.app import create_app
from messenger_server.config import ServerConfig
from messenger_server.database import Database

config = ServerConfig.from_env({"MESSENGER_DB_PATH": sys.argv[1]})
database = Database.open(config.db_path)
create_app(config, database)
print(*sys.modules)
asyncio.run(database.close())
"""


def test_the_application_loads_no_package_that_it_does_not_need(tmp_path: Path) -> None:
    path = tmp_path / "messenger.db"
    prepare(path)  # making a database takes alembic, serving it does not
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(path)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
        timeout=30,
    )
    loaded = set(done.stdout.split())
    assert "litestar" in loaded
    unneeded = {"alembic", "attr", "attrs", "mcp", "opentelemetry", "pydantic"}
    assert not loaded & {*unneeded, "sqlalchemy.dialects.postgresql"}
