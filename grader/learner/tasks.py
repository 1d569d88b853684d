"""How this person starts a task: with pixi, or with the script that ships with the course."""

from __future__ import annotations

import os
from collections.abc import Mapping


def task(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """The command that runs the task ``name``."""
    runner = "pixi" if environment.get("PIXI_PROJECT_ROOT") else "./pixiw"
    return f"{runner} run {name}"
