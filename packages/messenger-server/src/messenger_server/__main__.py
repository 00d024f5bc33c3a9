"""`python -m messenger_server` and the console script."""

import os
import sys

from messenger_server import cli


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    _fill_standard_streams()
    sys.exit(cli.main())


def _fill_standard_streams() -> None:
    """Opens the null device in place of each standard stream that the parent left closed.

    The next file to be opened would take its number, and log lines would be written into it.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # Python has none where the descriptor was closed.
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


if __name__ == "__main__":
    main()
