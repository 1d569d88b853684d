"""Measures how fast the grader and the course's GPT-2 are: ``python -m tools.bench``.

Without a word, one page: each figure of docs/working.md, in times of importing MAX, with its limit.
``--keep`` writes them there. What a machine cannot measure is left out, and said.

``start``: one grading of step 05's solution against importing MAX alone, in turns, with
the existing cache of compiled kernels and with an empty one. ``--eager`` also times the same
forward pass on MAX's own kernels from an empty cache, which takes minutes.

``phases``: where the time of one grading goes.

``watch``: from a save to the finished report in ``watch``, and a plain ``s05`` next to it.

``desk``: from a save in the page's editor to the report in the page; in the environment ``test``.

``serve``: the server of the model beside a plain loop; in the environment ``desk``.

``compare``: the course's GPT-2 beside Hugging Face's on PyTorch; in the environment ``parity``.

``fails``: what a fail costs more than a pass; in the environment ``test``.

``growth``: how time and memory grow with the text, with the submissions and with the workers.

``workers``: CPU seconds of one grading with a fresh, a pooled and a forked worker.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from grader import frameworks
from grader.learner.tasks import typed
from tools import bench_desk, bench_page, bench_phases, bench_serve, bench_watch, bench_workers
from tools.bench_page import in_turns, seconds
from tools.measured import Impossible

EAGER = (
    "-c",
    "import numpy as np\n"
    "from max.experimental.tensor import Tensor\n"
    "from solutions.solution_01 import GPT2Config\n"
    "from solutions.solution_05 import GPT2Attention\n"
    "layer = GPT2Attention(GPT2Config())\n"
    "layer(Tensor.from_dlpack(np.ones((1, 4, 768), np.float32))).to_numpy()\n",
)


APART = ("class", "compare", "fails", "growth")
"""What has options of its own, and needs packages that the others do without."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the medians and their ratios, or what another word measures."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what runs ends with this
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _measure(given)
    except Impossible as why:
        sys.exit(str(why))


def _measure(given: Sequence[str]) -> None:
    if given and given[0] in APART:
        importlib.import_module(f"tools.bench_{given[0]}").main(given[1:])
        return
    parser = argparse.ArgumentParser(
        prog=typed("bench", "python -m tools.bench"), description=__doc__
    )
    parser.add_argument(
        "what",
        nargs="?",
        choices=["page", "phases", "start", "watch", "desk", "serve", "workers"],
        default="page",
    )
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--saves", type=int, default=100)
    parser.add_argument("--eager", action="store_true")
    parser.add_argument(
        "--keep", action="store_true", help="Store the figures and write them into the pages."
    )
    asked = parser.parse_args(given)
    frameworks.current().prepare()
    if asked.what == "workers":
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the grader's own process
    does: Mapping[str, Callable[[], None]] = {
        "desk": lambda: bench_desk.main(asked.saves),
        "page": lambda: bench_page.main(asked.turns, min(asked.saves, 20), keep=asked.keep),
        "phases": lambda: bench_phases.main(asked.turns, keep=asked.keep),
        "serve": lambda: bench_serve.main(asked.turns),
        "start": lambda: _starts(asked.turns, eager=asked.eager),
        "watch": lambda: bench_watch.main(asked.saves),
        "workers": lambda: bench_workers.main(asked.turns),
    }
    does[asked.what]()


def _starts(turns: int, *, eager: bool) -> None:
    """One grading against importing MAX alone, with the existing cache and with an empty one."""
    with tempfile.TemporaryDirectory() as folder:
        empty = {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache"}
        _start("warm", {}, turns)
        graded = _start("empty HOME", empty, turns)
        compiled = [p for p in Path(folder).rglob("*") if p.is_file()]
        print(f"files written to the empty HOME: {len(compiled)}")
        if eager:
            whole = seconds(EAGER, {**empty, "MAX_EAGER_EXECUTOR": "interpreter"})
            print(f"plain eager MAX, empty cache: {whole:.1f} s, {whole / graded:.0f} x a grading")


def _start(name: str, environment: Mapping[str, str], turns: int) -> float:
    base, grade = in_turns(turns, environment)
    print(
        f"{name}: import of MAX {base:.3f} s, grade s05 {grade:.3f} s, ratio {grade / base:.2f} "
        f"(median of {turns})"
    )
    return grade


if __name__ == "__main__":
    main()
