"""`messenger-server upgrade`: brings an older database to this version, or says that it would."""

from pathlib import Path
from typing import Final

from messenger_core.migrate import HEAD_REVISION
from messenger_server.process_lock import hold_database
from messenger_server.upgrading import bring_up_to_date, why_behind

_BEHIND: Final = 3


def check(path: Path) -> int:
    """Says whether an upgrade would do something; exit code 3 when it would, else 0."""
    behind = why_behind(path)
    print(behind or _current(path))
    return _BEHIND if behind else 0


def run(path: Path) -> int:
    """Backs the database up and migrates it; exit code 0, also when there was nothing to do.

    Raises:
        DatabaseHeld: a server or another upgrade works on the file.
        NotUpgraded: the backup or a migration failed.
    """
    if why_behind(path) is None:  # asked without the lock: a server may work on it all the while
        print(_current(path))
        return 0
    with hold_database(path, "upgrade"):
        upgrade = bring_up_to_date(path)
    if upgrade is None:
        print(_current(path))
    else:
        print(f"backup: {upgrade.backup}")
        print(f"{path} went from revision {upgrade.before} to {HEAD_REVISION}")
    return 0


def _current(path: Path) -> str:
    return f"{path} is at revision {HEAD_REVISION}: nothing to do"
