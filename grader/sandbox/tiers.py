"""What a set of layers amounts to, by the one word that the report uses."""

from __future__ import annotations

from collections.abc import Iterable

LAYERS = ("limits", "landlock", "seccomp")
"""Every layer that a worker knows to put on, from inside."""

CONFINED = frozenset(LAYERS)


def name(layers: Iterable[str]) -> str:
    """``confined`` where every layer of it is on, else ``process``."""
    return "confined" if set(layers) >= CONFINED else "process"
