"""`tools/start` and `tools/uv` in a checkout of their own, as on a machine that has little else."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import httpx2
import pytest

from support.server_process import ServerProcess, scrubbed_environment

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("sh", "dirname", "mkdir", "mktemp", "rm", "cp", "mv")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The checkout without its environments, in a folder whose name has a space."""
    copy = tmp_path / "a checkout"
    copy.mkdir()
    for name in ("packages", "tools"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A `PATH` with a shell and its programs: neither Python nor uv."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in PROGRAMS:
        found = shutil.which(program)
        assert found is not None, program
        (folder / program).symlink_to(found)
    return folder


def _uv_settings() -> dict[str, str]:
    """What lets a start find uv and the libraries that the gate has fetched already."""
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    cache = subprocess.run(
        [str(ROOT / "tools" / "uv"), "cache", "dir"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return {
        "PATH": f"{Path(uv).parent}{os.pathsep}{os.environ['PATH']}",
        "UV_CACHE_DIR": cache.stdout.strip(),
        "UV_OFFLINE": "1",
    }


def _run_uv(checkout: Path, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(checkout / "tools" / "uv"), "--version"],
        env={**scrubbed_environment(checkout), "PATH": str(path)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def _fake_python(path: Path, script: str) -> None:
    program = path / "python3"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)


def test_start_serves_from_another_folder_and_ctrl_c_stops_it(
    checkout: Path, tmp_path: Path
) -> None:
    start = [str(checkout / "tools" / "start")]

    with ServerProcess(tmp_path / "elsewhere", command=start, settings=_uv_settings()) as server:
        key = server.create_key("planner", "planner")
        answer = httpx2.get(f"{server.url}/health", headers={"Authorization": f"Bearer {key}"})
        server.terminate(signal.SIGINT)
        log = server.log()

    assert answer.status_code == 200
    assert server.process.returncode == 0
    assert f'"{checkout}/tools/start" keys create planner --agent planner' in log
    assert f'-- "{checkout}/.tools/env/bin/messenger-mcp"' in log


def test_a_machine_without_a_recent_python_is_told_so(checkout: Path, bare_path: Path) -> None:
    _fake_python(bare_path, '[ "$1" = --version ] && echo Python 3.9.2 || exit 1')

    done = _run_uv(checkout, bare_path)

    assert done.returncode == 1
    assert "Messenger needs Python 3.11 or newer; found Python 3.9.2." in done.stderr


def test_a_python_that_can_install_nothing_is_told_what_is_missing(
    checkout: Path, bare_path: Path
) -> None:
    _fake_python(bare_path, '[ "$1" = -c ]')

    done = _run_uv(checkout, bare_path)

    assert done.returncode == 1
    assert "python3-venv" in done.stderr
    assert sorted(path.name for path in (checkout / ".tools").iterdir()) == ["bin"]
