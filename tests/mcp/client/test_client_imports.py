"""What the client's parts may load: the watcher is small because it loads little."""

import ast
import subprocess
import sys
from pathlib import Path

import messenger_mcp

SOURCES = Path(messenger_mcp.__file__).parent


def test_the_watcher_loads_neither_the_sdk_nor_the_database_layer() -> None:
    script = "import sys, messenger_mcp.watch; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True
    )

    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"mcp", "mcp_types", "pydantic", "sqlalchemy", "starlette", "uvicorn"})
    assert "httpx2" in loaded


def test_one_file_alone_imports_the_http_client() -> None:
    importing = {
        path.name
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        and any("httpx" in name for name in _names(node))
    }

    assert importing == {"http_connection.py"}


def _names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]
