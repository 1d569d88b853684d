"""Commands that tests run to their end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from grader.base.course import ROOT


def command(
    *words: str | Path,
    cwd: str | Path = ROOT,
    typed: str | None = None,
    without: Collection[str] = (),
    timeout_s: float = 120,
    **more: str,
) -> subprocess.CompletedProcess[str]:
    """What a command did in a folder; ``without`` and ``more`` change its environment."""
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return subprocess.run(
        [*map(str, words)],
        cwd=cwd,
        env={**kept, "PYTHONUTF8": "1", **more},
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout_s,
        check=False,
    )


def python(*arguments: str | Path, **how: Any) -> subprocess.CompletedProcess[str]:
    """The same of the Python that runs the tests."""
    return command(sys.executable, *arguments, **how)


def said(*arguments: str | Path, **how: Any) -> str:
    """What a Python that ends well prints."""
    done = python(*arguments, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
