"""The layers that the worker applies to itself, in order.

Each is a function of the settings that returns whether the machine offers the layer. Those that
must be applied before the framework starts threads are in ``BEFORE_IMPORT``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from grader.isolation import landlock, rlimits, seccomp

if TYPE_CHECKING:
    from grader.isolation.settings import Settings

Layer = Callable[["Settings"], bool]

BEFORE_IMPORT: tuple[tuple[str, Layer], ...] = (
    ("bubblewrap", lambda settings: True),  # already around this process, or not wanted
    ("user", lambda settings: os.geteuid() != 0),
    ("limits", rlimits.apply),
    ("landlock", landlock.apply),
)
AFTER_IMPORT: tuple[tuple[str, Layer], ...] = (("seccomp", seccomp.apply),)


def fall_back(applied: tuple[str, ...], settings: Settings) -> None:
    """Limit what cannot be forbidden. No tier depends on this."""
    if "seccomp" not in applied:
        rlimits.no_more_processes(settings)


def apply(layers: tuple[tuple[str, Layer], ...], settings: Settings) -> tuple[str, ...]:
    """Apply every wanted layer that the machine offers; return the names of those now in force."""
    return tuple(name for name, layer in layers if name in settings.layers and layer(settings))
