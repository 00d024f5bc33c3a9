"""`python -m messenger_mcp` and the console script."""

import sys
from typing import NoReturn

from messenger_mcp import cli


def main() -> NoReturn:
    """Runs the command line and ends with its exit code."""
    sys.exit(cli.main())


if __name__ == "__main__":
    main()
