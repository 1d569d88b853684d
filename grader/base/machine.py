"""What the machine has."""

from __future__ import annotations

import os


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def at_once() -> int:
    """How many programs of one person are graded at the same time."""
    return min(cores(), 4)
