"""The shell lines that become a task: for this process, and saved for the shell half."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Container
from pathlib import Path

from tools.pixiw.manifest import Environment, Manifest, Task

NOTES = ".venv/.pixiw"


def become(manifest: Manifest, environment: Environment, task: Task) -> str:
    """Lines that become ``task`` in ``environment``, where ``$root`` is the root."""
    layers = manifest.layers(environment)[::-1]
    path = ":".join([*(f"{_path(each)}/bin" for each in layers), "$PATH"])
    variables = {**manifest.variables, **task.variables}
    return "\n".join(
        [
            f"INIT_CWD=$PWD VIRTUAL_ENV={_path(environment)} PATH={path}",
            *(f"{name}={shlex.quote(value)}" for name, value in variables.items()),
            f"export INIT_CWD VIRTUAL_ENV PATH {' '.join(variables)}",
            "unset PYTHONHOME",
            f'cd "$root" && exec {shlex.join(task.command)} "$@"',
        ]
    )


def note(manifest: Manifest, ready: Container[str]) -> None:
    """Save every task whose environment is in ``ready``.

    The notes are valid as long as the files they were made from stay the same. A copy of those
    files comes last. A read-only environment of somebody else is used without notes.
    """
    notes = manifest.root / NOTES
    text = "case $task in\n"
    for task in manifest.tasks.values():
        if task.environment in ready:
            environment = manifest.environment(task.environment)
            there = " && ".join(
                f"[ -x {_path(each)}/bin/python ]" for each in manifest.layers(environment)
            )
            body = f"{there} || return 0\n{become(manifest, environment, task)}"
            text += f"{shlex.quote(task.name)})\n{body} ;;\n"
    locks = sorted(manifest.root.glob("requirements/*.txt"))
    with contextlib.suppress(OSError):
        sources = b"".join(path.read_bytes() for path in (manifest.root / "pixi.toml", *locks))
        _write_whole(notes / "tasks", f"{text}esac\n".encode())
        _write_whole(notes / "sources", sources)


def _path(environment: Environment) -> str:
    return f'"$root"/{shlex.quote(environment.folder)}'


def _write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` so that a reader sees the old content or all of the new."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_bytes(content)
    fresh.replace(path)
