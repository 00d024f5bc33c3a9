"""Whether a file would be picked up by git."""

import os
import subprocess
from pathlib import Path

_TIMEOUT_SECONDS = 5.0


def would_be_committed(path: Path) -> bool:
    """Whether git would take the file into a repository; in doubt, yes.

    Where git cannot be asked, a `.git` in a folder above counts as a repository.
    """
    target = Path(os.path.realpath(path))
    folder = next(parent for parent in target.parents if parent.is_dir())
    match _asked_git(folder, target):
        case 0:
            return False
        case 1:
            return True
        case _:
            return any((parent / ".git").exists() for parent in target.parents)


def _asked_git(folder: Path, target: Path) -> int | None:
    """The answer of `git check-ignore`; `None` when there is no git to ask."""
    # Variables such as GIT_DIR would speak of another repository.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and one path, no shell
            ["git", "-C", str(folder), "check-ignore", "--quiet", "--", str(target)],  # noqa: S607 - the person's own git
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode
