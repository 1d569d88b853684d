"""Becomes Python in the caller's folder, with the course on its path and the engine in place.

Every argument goes to Python: none, a file, ``-c``, ``-m``, ``-i`` and the rest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

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


def become(arguments: Sequence[str]) -> NoReturn:
    """Become Python with these arguments."""
    caller = os.environ.get("INIT_CWD")  # pixi and pixiw start a task in the course's folder
    if caller:
        os.chdir(caller)
    os.execve(sys.executable, [sys.executable, *arguments], environment())


if __name__ == "__main__":
    become(sys.argv[1:])
