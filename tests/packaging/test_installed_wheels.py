"""Each wheel installed alone into an empty environment, and every command of it run there."""

import json
import re
import sqlite3
from collections.abc import Callable

import httpx2

from messenger_core.migrate import HEAD_REVISION
from messenger_mcp import __version__ as mcp_version
from messenger_server import __version__ as server_version
from support.installed_wheels import Installed
from support.server_process import ServerProcess

Install = Callable[[str], Installed]

EVERY_MODULE = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not module.name.endswith((".__main__", ".migrations.env")):
        importlib.import_module(module.name)
"""


def _revision_of(path: str) -> str:
    connection = sqlite3.connect(path)
    try:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return str(revision)
    finally:
        connection.close()


def test_core_alone_imports_whole(install: Install) -> None:
    done = install("messenger-core").run(
        "python", "-W", "error", "-c", EVERY_MODULE, "messenger_core"
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_server_imports_whole_without_the_client(install: Install) -> None:
    server = install("messenger-server")

    done = server.run("python", "-W", "error", "-c", EVERY_MODULE, "messenger_server")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert server.run("python", "-c", "import messenger_mcp").returncode == 1


def test_the_client_imports_whole_without_the_server(install: Install) -> None:
    client = install("messenger-mcp")

    done = client.run("python", "-W", "error", "-c", EVERY_MODULE, "messenger_mcp")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert client.run("python", "-c", "import messenger_server").returncode == 1


def test_what_travels_is_imported_without_sqlalchemy(install: Install) -> None:
    program = """
import sys
import messenger_core.errors, messenger_core.mail, messenger_core.tools
import messenger_core.wire.messages, messenger_core.wire.wait
print(sorted({"sqlalchemy", "alembic", "mcp", "httpx2"} & set(sys.modules)))
"""

    done = install("messenger-core").run("python", "-c", program)

    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_the_server_says_its_version(install: Install) -> None:
    done = install("messenger-server").run("messenger-server", "--version")

    assert (done.returncode, done.stderr) == (0, "")
    assert server_version in done.stdout


def test_the_client_says_its_version(install: Install) -> None:
    done = install("messenger-mcp").run("messenger-mcp", "--version")

    assert (done.returncode, done.stderr) == (0, "")
    assert mcp_version in done.stdout


def test_alembic_makes_a_database_with_the_packaged_migrations(install: Install) -> None:
    server = install("messenger-server")
    ini_path = server.run("messenger-server", "--alembic-ini").stdout.strip()
    database = str(server.home / "by-alembic.db")

    done = server.run(
        *("alembic", "-c", ini_path, "upgrade", "head"), settings={"MESSENGER_DB_PATH": database}
    )

    assert done.returncode == 0, done.stderr
    assert ini_path.startswith(str(server.folder))
    assert _revision_of(database) == HEAD_REVISION


def test_alembic_from_core_alone_makes_a_database(install: Install) -> None:
    core = install("messenger-core")
    config = core.home / "alembic.ini"
    config.write_text(
        "[alembic]\nscript_location = messenger_core:migrations\npath_separator = os\n",
        encoding="utf-8",
    )
    database = str(core.home / "by-core.db")

    done = core.run("alembic", "upgrade", "head", settings={"MESSENGER_DB_PATH": database})

    assert done.returncode == 0, done.stderr
    assert _revision_of(database) == HEAD_REVISION


def test_an_installed_server_answers(install: Install) -> None:
    installed = install("messenger-server")
    command = [installed.script("messenger-server")]

    with ServerProcess(installed.home / "served", command=command) as server:
        key = server.create_key("planner", "planner")
        answer = httpx2.get(f"{server.url}/health", headers={"Authorization": f"Bearer {key}"})

    assert answer.status_code == 200
    assert answer.json()["version"] == server_version
    assert answer.json()["database"] == {"kind": "sqlite", "revision": HEAD_REVISION}


def test_an_installed_server_brings_its_console(install: Install) -> None:
    installed = install("messenger-server")
    command = [installed.script("messenger-server")]

    with ServerProcess(installed.home / "shown", command=command) as server:
        page = httpx2.get(f"{server.url}/ui/").text
        named = re.findall(r'(?:href|src)="([^"]+)"', page)
        statuses = {httpx2.get(f"{server.url}/ui/{path}").status_code for path in named}

    assert len(named) > 20
    assert statuses == {200}


def test_an_installed_client_speaks_mcp_and_ends_with_its_input(install: Install) -> None:
    client = install("messenger-mcp")
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "packaging", "version": "1"},
        },
    }
    settings = {"MESSENGER_SERVER_URL": "http://127.0.0.1:9", "MESSENGER_API_KEY": "mk_" + "a" * 43}

    done = client.run("messenger-mcp", settings=settings, stdin=json.dumps(request) + "\n")

    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[0])
    assert answer["id"] == 1
    assert answer["result"]["serverInfo"]["version"] == mcp_version


def test_a_watcher_without_settings_says_what_is_missing(install: Install) -> None:
    done = install("messenger-mcp").run("messenger-mcp", "--watch")

    assert done.returncode == 2
    assert done.stdout == ""
    assert "MESSENGER_SERVER_URL" in done.stderr
