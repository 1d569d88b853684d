"""How this person starts a task: with pixi, or with the script that ships with the course."""

from __future__ import annotations

import os
from collections.abc import Mapping


def task(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """The command that runs the task ``name``."""
    runner = "pixi" if environment.get("PIXI_PROJECT_ROOT") else "./pixiw"
    return f"{runner} run {name}"


def typed(name: str, otherwise: str, environment: Mapping[str, str] = os.environ) -> str:
    """What a usage line begins with: the task, or ``otherwise`` if none was run.

    Both runners say in ``INIT_CWD`` where a task was started.
    """
    return task(name, environment).strip() if "INIT_CWD" in environment else otherwise
