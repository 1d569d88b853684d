"""How the user starts a task: with pixi, or with the script that ships with the course."""

from __future__ import annotations

import os
from collections.abc import Mapping


def task(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the command that runs the task ``name``."""
    runner = "pixi" if environment.get("PIXI_PROJECT_ROOT") else "./pixiw"
    return f"{runner} run {name}"


def typed(name: str, otherwise: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the start of a usage line: the task, or ``otherwise`` if none was run.

    Both runners set ``INIT_CWD`` to the folder where a task was started.
    """
    return task(name, environment).strip() if "INIT_CWD" in environment else otherwise
