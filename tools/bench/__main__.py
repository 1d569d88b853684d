"""The command line: ``python -m tools.bench``."""

from __future__ import annotations

import signal
import statistics
import sys
import tempfile
from pathlib import Path

import click

from grader import frameworks
from grader.learner.tasks import typed
from tools.bench import classroom, compare, desk, layers, page, watch
from tools.bench.processes import GRADE, IMPORT, KEEP, TURNS, empty, seconds

EAGER = (
    "-c",
    "import numpy as np\n"
    "from max.experimental.tensor import Tensor\n"
    "from solutions.solution_01 import GPT2Config\n"
    "from solutions.solution_05 import GPT2Attention\n"
    "layer = GPT2Attention(GPT2Config())\n"
    "layer(Tensor.from_dlpack(np.ones((1, 4, 768), np.float32))).to_numpy()\n",
)


@click.group(invoke_without_command=True)
@TURNS
@click.option("--saves", type=click.IntRange(2), default=20, show_default=True)
@KEEP
@click.pass_context
def main(context: click.Context, turns: int, saves: int, *, keep: bool) -> None:
    """Measure how fast the grader and the course's GPT-2 are.

    Without a command, one page: each figure of docs/working.md, in times of importing MAX, with
    its limit. What a machine cannot measure is left out, and said.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what runs ends with this
    frameworks.current().prepare()
    if context.invoked_subcommand is None:
        page.main(turns, saves, keep=keep)


@main.command()
@TURNS
@click.option("--eager", is_flag=True, help="Also MAX's own kernels: minutes.")
def start(turns: int, *, eager: bool) -> None:
    """One grading against importing MAX alone, with the existing cache and with an empty one."""
    with tempfile.TemporaryDirectory() as folder:
        graded = 0.0
        for name, more in (("warm", {}), ("empty HOME", empty(folder))):
            taken = [(seconds(IMPORT, **more), seconds(GRADE, **more)) for _ in range(turns)]
            base, graded = map(statistics.median, zip(*taken, strict=True))
            print(
                f"{name}: import of MAX {base:.3f} s, grade s05 {graded:.3f} s, ratio "
                f"{graded / base:.2f} (median of {turns})"
            )
        compiled = sum(path.is_file() for path in Path(folder).rglob("*"))
        print(f"files written to the empty HOME: {compiled}")
        if eager:
            whole = seconds(EAGER, **empty(folder), MAX_EAGER_EXECUTOR="interpreter")
            print(f"plain eager MAX, empty cache: {whole:.1f} s, {whole / graded:.0f} x a grading")


main.add_command(classroom.main, "class")
main.add_command(compare.main, "compare")
main.add_command(desk.main, "desk")
main.add_command(layers.parts, "parts")
main.add_command(watch.main, "watch")

if __name__ == "__main__":
    sys.exit(main(prog_name=typed("bench", "python -m tools.bench")))
