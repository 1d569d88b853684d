"""The settings that the grader passes to a worker's process at its start."""

from __future__ import annotations

from dataclasses import dataclass

JOB, MESSAGES, CONTROL, ENDING = 3, 4, 5, 6
"""File descriptors of the worker, fixed by the process that starts it."""


WORKER, FORK_SERVER = "worker", "fork-server"
"""First argument of a process that is the worker itself, or that will fork workers."""


TEXTS = ("grader", "course", "folder", "cache", "framework", "engine")


@dataclass(frozen=True)
class Settings:
    """What the parent decides before the worker starts: bytes, seconds, 0 or 1 for no or yes.

    ``grader`` and ``course`` are folders, and so is ``cache`` if not empty. ``programs``
    says that importing the framework runs programs.
    """

    grader: str
    course: str
    folder: str
    cache: str
    framework: str
    engine: str
    layers: tuple[str, ...]
    wall_ms: int
    memory: int
    address_space: int
    cpu: int
    file_size: int
    disk: int
    threads: int
    processes: int
    warm: int
    programs: int


def parse(arguments: list[str]) -> Settings:
    """Settings from ``name=value`` arguments."""
    given = dict(argument.split("=", 1) for argument in arguments)
    layers = tuple(given.pop("layers").split(","))
    texts = {name: given.pop(name) for name in TEXTS}
    numbers = {name: int(value) for name, value in given.items()}
    return Settings(**texts, **numbers, layers=layers)  # type: ignore[arg-type]
