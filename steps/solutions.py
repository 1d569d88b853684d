"""Lets ``python steps/step_05.py`` find the earlier steps, in the folder ``../solutions``.

There is nothing to write or to read here, and the grader does not use it.
"""

from __future__ import annotations

import atexit
import re
import sys
from importlib.util import find_spec
from pathlib import Path

COURSE = Path(__file__).resolve().parents[1]

__path__ = [str(COURSE / "solutions")]  # so this is the package ``solutions``
sys.path.append(str(COURSE))  # where ``gpt2`` is

if step := re.fullmatch(r"step_(\d\d)\.py", Path(sys.argv[0]).name):
    grade = f"To grade this file: ./pixiw run s{step[1]}"
    if find_spec("max") is None:
        sys.exit(f"This Python has no MAX. ./pixiw installs it.\n{grade}")
    atexit.register(print, grade, file=sys.stderr)
