"""``watch``: from the save to the finished report on the screen."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path

import click

from tools.bench.desk import PAUSE_S
from tools.bench.processes import SAVES, Impossible, spread, surroundings
from tools.desk import copy

LIMIT_S = 60.0


@click.command()
@SAVES
def main(saves: int) -> None:
    """From a save to the finished report in `watch`; in the environment `test`."""
    spread(f"watch, solution of step 05, {saves} saves", measure(saves))


def measure(saves: int) -> list[float]:
    """Seconds of each save in a copy of the course.

    Raises:
        Impossible: pexpect is missing.
    """
    if importlib.util.find_spec("pexpect") is None:
        raise Impossible("It needs pexpect: ./pixiw run -e test bench watch")
    import pexpect

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy(("checks", "grader", "solutions", "steps", "course.toml"), root)
        solution = (root / "solutions/solution_05.py").read_text(encoding="utf-8")
        more = {"PYTHONPATH": folder, "TERM": "xterm", "PYTHONUTF8": "1"}
        arguments = ["-m", "grader", "watch", "s05"]
        seconds = []
        watch = pexpect.spawn(
            sys.executable, arguments, cwd=folder, env=surroundings(**more), timeout=LIMIT_S
        )
        for number in range(saves + 1):
            time.sleep(PAUSE_S * bool(number))
            started = time.perf_counter()
            if number:
                (root / "steps/step_05.py").write_text(f"{solution}# {number}\n", encoding="utf-8")
            watch.expect_exact(f"report {number + 1},")
            watch.expect_exact("\x1b[J")  # all of it is drawn
            seconds.append(time.perf_counter() - started)
        watch.close(force=True)
    return seconds[1:]
