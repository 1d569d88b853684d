"""The tasks in six groups, from what a learner does first to what only maintainers need.

What each task does is its description in ``pixi.toml``; here is only where it belongs.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping

from tools.pixiw.manifest import Manifest, Task

GROUPS: Mapping[str, tuple[str, ...]] = {
    "begin": ("desk", "watch", "notebook", "next"),
    "steps": ("check", "list", "progress", "skip", "reset", "grade"),
    "when stuck": ("hint", "explain", "trace", "solution", "doctor"),
    "look": ("show", "gpt2", "serve", "lab", "book", "python"),
    "teach": ("class", "similar", "autograder"),
    "maintain": (
        "test",
        "lint",
        "sync",
        "new-step",
        "lock",
        "bench",
        "grade-the-grader",
        "test-whole",
        "test-native",
        "test-parity",
        "train-tiny",
        "completion",
        "help",
    ),
}
"""The tasks of each group, in the order in which they are listed."""
STEP = re.compile(r"s\d\d")
"""The tasks that grade a step belong to the steps, and come first there."""
OTHER = "other"


def grouped(manifest: Manifest) -> dict[str, list[Task]]:
    """The tasks that people run, by group; those that have none are the last, ``OTHER``.

    Another name of a task that is described is left out.
    """
    described = {task.command for task in manifest.tasks.values() if task.description}
    shown = {
        task.name: task
        for task in manifest.tasks.values()
        if (task.description or task.command not in described) and not task.name.startswith("_")
    }
    steps = tuple(name for name in shown if STEP.fullmatch(name))
    groups = {**GROUPS, "steps": steps + GROUPS["steps"]}
    found = {
        group: [shown.pop(name) for name in names if name in shown]
        for group, names in groups.items()
    }
    found[OTHER] = list(shown.values())
    return {group: tasks for group, tasks in found.items() if tasks}


def page(manifest: Manifest, *, whole: bool = False) -> str:
    """The groups, a line each; with ``whole`` a line for each task."""
    run = "pixi run" if os.environ.get("PIXI_PROJECT_ROOT") else "./pixiw run"
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
    groups = grouped(manifest)
    lines = _every(groups, width) if whole else _short(groups, width)
    title = textwrap.wrap(f"{run} NAME does one of these. New here? {run} desk", width)
    more = f"{run} {'NAME --help' if whole else 'help --all'}"
    told = "the options of a task" if whole else "what each of them does"
    return "\n".join([*title, "", *lines, "", *_filled(more, told, width, len(more) + 2)]) + "\n"


def _short(groups: Mapping[str, list[Task]], width: int) -> Iterator[str]:
    room = max(map(len, groups)) + 2
    for group, tasks in groups.items():
        yield from _filled(group, "  ".join(_names(tasks)), width, room)


def _names(tasks: Iterable[Task]) -> Iterator[str]:
    """The tasks' names; all steps in one."""
    names = [task.name for task in tasks]
    steps = [name for name in names if STEP.fullmatch(name)]
    if steps:
        yield f"{steps[0]} to {steps[-1]}" if len(steps) > 1 else steps[0]
    yield from names[len(steps) :]


def _every(groups: Mapping[str, list[Task]], width: int) -> Iterator[str]:
    room = max(len(task.name) for tasks in groups.values() for task in tasks) + 4
    for number, (group, tasks) in enumerate(groups.items()):
        yield from ([""] if number else [])
        yield group
        for task in tasks:
            yield from _filled(f"  {task.name}", task.description, width, room)


def _filled(head: str, text: str, width: int, room: int) -> list[str]:
    """``text`` beside ``head``, or below it where that leaves too little room."""
    if not text:
        return [head]
    if width - room < 24:
        return [head, *textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")]
    return textwrap.wrap(
        text,
        width,
        initial_indent=f"{head:<{room}}",
        subsequent_indent=" " * room,
        break_on_hyphens=False,
    )
