"""The three wheels as they are published, each installed into an environment of its own."""

import os
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

from support.server_process import scrubbed_environment

ROOT: Final = Path(__file__).resolve().parents[2]
WHEELS: Final = ("messenger-core", "messenger-server", "messenger-mcp")


class Installed(NamedTuple):
    """An environment that holds one wheel, with core and the libraries that it asks for."""

    folder: Path
    home: Path
    """An empty folder, far from the checkout; commands run in it."""

    def script(self, name: str) -> str:
        """The path of a command that the installation brought."""
        return str(self.folder / "bin" / name)

    def run(
        self, *command: str, settings: dict[str, str] | None = None, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Runs one of its commands to its end, with nothing in the environment but `settings`."""
        return subprocess.run(
            [self.script(command[0]), *command[1:]],
            env={**scrubbed_environment(self.home), **(settings or {})},
            cwd=self.home,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )


def build_wheels(folder: Path) -> dict[str, Path]:
    """Builds the wheels of this checkout into a folder; gives each file by its wheel's name."""
    _uv("build", "--all-packages", "--wheel", "--quiet", "--out-dir", str(folder))
    built = {path.name.split("-")[0].replace("_", "-"): path for path in folder.glob("*.whl")}
    assert sorted(built) == sorted(WHEELS)
    return built


def install_wheel(wheel: str, wheels: dict[str, Path], folder: Path) -> Installed:
    """Installs one wheel, and core, into a new environment inside a folder.

    The libraries are those of the lock, so that nothing is asked of a package index twice; `uv pip
    check` then holds them against what the wheels themselves ask for.
    """
    installed = Installed(folder / "env", folder / "home")
    installed.home.mkdir()
    _uv(
        *("sync", "--locked", "--no-dev", "--no-install-workspace", "--quiet"),
        *("--package", wheel),
        environment=installed.folder,
    )
    python = ("--python", installed.script("python"))
    files = [str(wheels[name]) for name in dict.fromkeys((wheel, "messenger-core"))]
    _uv("pip", "install", "--no-deps", "--quiet", *python, *files)
    _uv("pip", "check", *python)
    return installed


def _uv(*arguments: str, environment: Path | None = None) -> None:
    settings = {"UV_PROJECT_ENVIRONMENT": str(environment)} if environment else {}
    done = subprocess.run(
        [str(ROOT / "tools" / "uv"), *arguments],
        env={**os.environ, **settings},
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, f"uv {' '.join(arguments)}\n{done.stderr}"
