"""Which project this process works in: a fingerprint of its folder, never the path."""

import hashlib
import os
from collections.abc import Mapping


def project_fingerprint(environ: Mapping[str, str]) -> str | None:
    """The fingerprint of the project's folder: `CLAUDE_PROJECT_DIR`, else the working folder.

    Links are resolved, so that two ways to one folder are one project. `None` when the process
    stands in a folder that is gone.
    """
    try:
        folder = os.path.realpath(environ.get("CLAUDE_PROJECT_DIR", "").strip() or os.getcwd())
    except (OSError, ValueError):
        return None
    return hashlib.sha256(os.fsencode(os.path.normcase(folder))).hexdigest()
