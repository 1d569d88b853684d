"""How much of the machine one file may use."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Seconds and bytes. ``wall`` counts from when the worker has MAX and its job.

    ``memory`` is what the worker may hold beyond what MAX itself holds. ``start`` is for
    importing MAX: whoever exceeds it is the machine, not the learner.
    """

    wall: float = 20.0
    start: float = 120.0
    cpu: int = 60
    memory: int = 1536 * MIB
    address_space: int = 4096 * MIB
    output: int = 64 * 1024
    file_size: int = 16 * MIB
    processes: int = 16
