"""Grades hostile files, a few at a time, in a process of its own: they may aim at the grader.

``python -m tests.sandbox.hostile_session PLAN.json`` reads which files, with which layers, from a
pool or not, and prints one JSON line for each as it is done. Whatever they do to this process,
the test that started it looks on.
"""

from __future__ import annotations

import functools
import json
import secrets
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from grader import sandbox
from grader.base import course
from grader.base.model import Step
from grader.grading import faults
from grader.grading.inputs import Drawn
from grader.pipeline import Options, grade
from grader.report import as_json, as_text
from grader.sandbox import Limits
from grader.sandbox.limits import STRANGERS
from tests.graded import in_process
from tests.worker_jobs import Leftovers

MIB = 1 << 20
AT_ONCE = 4
LONGER = (2, 4, 8)
"""The limits of a file that runs into one are short, and a machine may be busy for seconds."""


def limits_of(entry: dict[str, Any]) -> Limits:
    """Short limits for a file that is meant to run into one."""
    plain = STRANGERS
    return plain._replace(
        wall=entry.get("wall") or plain.wall,
        memory=(entry.get("memory") or plain.memory // MIB) * MIB,
        disk=(entry.get("disk") or plain.disk // MIB) * MIB,
    )


@functools.lru_cache
def inputs(step: Step) -> Drawn:
    """Drawn once for all files: an attack learns nothing from the one before it."""
    return in_process.inputs(step, secrets.randbits(32))


def graded(entry: dict[str, Any], begin: Callable[..., sandbox.Running]) -> dict[str, Any]:
    """What :func:`grade_one` returns; with more time if a file got nowhere on a busy machine."""
    done = grade_one(entry, begin)
    for longer in LONGER:
        report = done["report"]
        late = report["verdict"] == "timeout" or any(
            check["id"] == faults.BUSY for check in report["checks"]
        )
        if not late or entry["says"] in report["output"]:
            break
        wall = longer * entry["wall"] if "wall" in entry else None
        done = grade_one({**entry, "wall": wall}, begin)
    return done


def grade_one(entry: dict[str, Any], begin: Callable[..., sandbox.Running]) -> dict[str, Any]:
    """One report as data and as text, how long it took, and what was left right after."""
    workers: list[tuple[sandbox.Running, Leftovers]] = []

    def start(**chosen: Any) -> sandbox.Running:
        limits = limits_of(entry)
        if len(workers) == 1:  # the reference: however busy the machine is, it must come to its end
            limits = limits._replace(wall=STRANGERS.wall)
        running = begin(limits=limits, **chosen)
        workers.append((running, Leftovers(running)))
        return running

    started = time.monotonic()
    step = course.find(entry["step"])
    report = grade(step, Path(entry["file"]), Options(), start, drawn=inputs(step))
    return {
        "name": entry["name"],
        "report": as_json.as_dict(report),
        "text": as_text.render(report, verbose=True, hint_level=3),
        "seconds": time.monotonic() - started,
        "wall": limits_of(entry).wall,
        "processes": [each for _, left in workers for each in left.processes()],
        "folders": [one.folder for one, _ in workers if Path(one.folder).exists()],
    }


def main() -> None:
    """Grade every file of the plan."""
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    layers = tuple(plan["layers"])
    with ExitStack() as stack:
        begin = functools.partial(sandbox.start, layers=layers)
        if plan["pool"]:
            pool = sandbox.WorkerPool(AT_ONCE, layers=layers, warm=False, limits=STRANGERS)
            begin = functools.partial(stack.enter_context(pool).start, layers=layers)
        threads = stack.enter_context(ThreadPoolExecutor(AT_ONCE))
        for done in threads.map(lambda entry: graded(entry, begin), plan["files"]):
            print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main()
