"""Becomes Python in the caller's folder, with the course on its path and the engine in place.

Every argument goes to Python: none, a file, ``-c``, ``-m``, ``-i`` and the rest.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grader.frameworks.max import engine

ROOT = Path(__file__).resolve().parents[2]
STARTUP = Path(__file__).resolve().parent / "startup"


def environment() -> dict[str, str]:
    """The variables of a Python that finds the course and has the engine installed.

    What it starts inherits them: a Jupyter server's kernels have the engine as well.
    """
    before = os.environ.get("PYTHONPATH")
    path = [str(STARTUP), str(ROOT), *([before] if before else [])]
    return {**os.environ, **engine.environment(), "PYTHONPATH": os.pathsep.join(path)}


def main() -> None:
    """Become Python."""
    caller = os.environ.get("INIT_CWD")  # pixi and pixiw start a task in the course's folder
    if caller:
        os.chdir(caller)
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
