"""Runs the benchmark, whether the folder was called by its path or by its name."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    # Called by its path, the folder itself stands first and `tools.bench` would not be found.
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    runpy.run_module("tools.bench.cli", run_name="__main__")
