"""Finds which version of the framework is installed, and for which one the grader is made.

``importlib.metadata`` could find the first too, but would cost every grading 25 ms.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from grader.base import course

if TYPE_CHECKING:
    from grader.frameworks import Framework

INSTALL = "Run ./pixiw install (or pixi install). If it fails again, remove the folder .venv first."
"""How to get the pinned version."""


@cache  # needed for every failing file
def installed(package: str) -> str | None:
    """Return the version of ``package`` that an import would find; None if there is none."""
    for entry in sys.path:
        for found in Path(entry or ".").glob(f"{package}-[0-9]*.dist-info/METADATA"):
            for line in found.read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("Version:"):
                    return line.removeprefix("Version:").strip()
    return None


@cache
def pinned(package: str) -> str | None:
    """Return the version that ``pixi.toml`` pins; None if it cannot be read."""
    import tomllib

    try:
        manifest = tomllib.loads((course.HOME / "pixi.toml").read_text(encoding="utf-8"))
        return str(manifest["pypi-dependencies"][package]).removeprefix("==")
    except (OSError, ValueError, KeyError):
        return None


def mismatch(framework: Framework) -> str:
    """Return a message if a version other than the pinned one is installed; else nothing."""
    if not framework.pinned:
        return ""
    found, wanted = installed(framework.pinned), pinned(framework.pinned)
    if found is None or wanted is None or found == wanted:
        return ""
    title = framework.title
    return f"{title} {found} is installed, but the grader is made for {title} {wanted}."
