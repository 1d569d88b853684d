"""What pixiw notes down for its shell half, so that a ready task starts without this program."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from tools.pixiw.manifest import Environment, Manifest, Task

STATE = ".pixiw"
"""The folder inside an environment that holds what pixiw knows about it."""


def write_whole(path: Path, text: str) -> None:
    """Put ``text`` at ``path`` so that a reader sees the old text or all of the new one."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def write(manifest: Manifest, keys: Mapping[str, str]) -> None:
    """Note down every task whose environment is in ``keys``: the ready ones, with their keys.

    The copy of ``pixi.toml`` comes last, because the notes count only beside an equal one. An
    environment that belongs to somebody else may be read-only; it is then used without notes.
    """
    state = manifest.root / ".venv" / STATE
    tasks = [task for task in manifest.tasks.values() if task.environment in keys]
    with contextlib.suppress(OSError):
        text = (manifest.root / "pixi.toml").read_text(encoding="utf-8")
        write_whole(state / "tasks", _shell(manifest, tasks, keys))
        write_whole(state / "pixi.toml", text)


def _shell(manifest: Manifest, tasks: list[Task], keys: Mapping[str, str]) -> str:
    """The shell functions ``is_ready NAME`` and ``run_task NAME ARGUMENTS``."""
    ready = "".join(
        f"{shlex.quote(task.name)}) {_ready(manifest.layers(task.environment), keys)} ;;\n"
        for task in tasks
    )
    run = "".join(f"{shlex.quote(task.name)})\n{_run(manifest, task)} ;;\n" for task in tasks)
    return (
        f"is_ready() {{ case $1 in\n{ready}*) return 1 ;;\nesac; }}\n"
        f"run_task() {{ name=$1; shift; case $name in\n{run}esac; }}\n"
    )


def _ready(layers: list[Environment], keys: Mapping[str, str]) -> str:
    return " && ".join(
        f"ready {shlex.quote(each.folder)} {keys[each.name]} {shlex.quote(each.lock)}"
        for each in layers
    )


def _run(manifest: Manifest, task: Task) -> str:
    folders = [f'"$root"/{shlex.quote(each.folder)}' for each in manifest.layers(task.environment)]
    variables = [
        f"VIRTUAL_ENV={folders[-1]}; export VIRTUAL_ENV",
        f"PATH={':'.join(f'{folder}/bin' for folder in reversed(folders))}:$PATH; export PATH",
        *(
            f"{name}={shlex.quote(value)}; export {name}"
            for name, value in (*manifest.variables, *task.variables)
        ),
    ]
    return "\n".join([*variables, f'exec {shlex.join(task.command)} "$@"'])
