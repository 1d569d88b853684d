"""Where the time of one grading goes.

Each turn is one grading of step 05's solution in a process of its own, which notes when it gets
where, and one import of MAX beside it. What the worker does meanwhile shows in when it is ready.
"""

from __future__ import annotations

import json
import statistics
import time

import click

from tools import measured
from tools.bench.processes import GRADE, IMPORT, KEEP, TURNS, run, seconds

PHASES = {
    "python": "Python runs",
    "worker": "the worker is started",
    "pipeline": "the command line is read",
    "asked": "the source is read, the inputs are drawn",
    "ready": "the worker has imported MAX and gets its job",
    "answered": "every probe is answered",
    "gone": "the worker is gone",
    "judged": "the report is printed",
    "ended": "the process has ended",
}

NOTING = """
import json, runpy, sys, time
met = {"python": time.monotonic()}
def meet(name):
    met.setdefault(name, time.monotonic())
sys.addaudithook(
    lambda event, given: event == "import" and given[0] == "grader.pipeline"
    and meet("pipeline")
)
from grader.sandbox.running import Running
def noting(name, before, after):
    plain = getattr(Running, name)
    def method(*given, **named):
        before and meet(before)
        result = plain(*given, **named)
        after and meet(after)
        return result
    setattr(Running, name, method)
noting("__init__", "", "worker")
noting("finish", "asked", "")
noting("_ask", "ready", "")
noting("close", "answered", "gone")
sys.argv = ["grader", *sys.argv[1:]]
try:
    runpy.run_module("grader", run_name="__main__", alter_sys=True)
finally:
    meet("judged")
    print(json.dumps(met), file=sys.stderr)
"""


@click.command()
@TURNS
@KEEP
def main(turns: int, *, keep: bool) -> None:
    """Where the time of one grading goes: medians, from the start of the command."""
    imports, met = [], []
    for _ in range(turns):
        imports.append(seconds(IMPORT))
        met.append(_graded())
    ends = [(what, statistics.median(each[name] for each in met)) for name, what in PHASES.items()]
    phases = dict(sorted(ends, key=lambda end: end[1]))
    alone = statistics.median(imports)
    print(f"{'importing MAX alone':46} {1000 * alone:6.0f} ms")
    before = 0.0
    for what, at in phases.items():
        print(f"{what:46} {1000 * at:6.0f} ms, {1000 * (at - before):4.0f} more")
        before = at
    if keep:
        told = {"turns": turns, "import_s": alone, "phases_s": phases}
        measured.keep({"phases": measured.circumstances("./pixiw run bench phases") | told})


def _graded() -> dict[str, float]:
    """Seconds from the start of one grading to each phase."""
    started = time.monotonic()
    said = run(("-c", NOTING, *GRADE[2:]))
    ended = time.monotonic()
    met: dict[str, float] = json.loads(said.splitlines()[-1])
    return {name: at - started for name, at in (met | {"ended": ended}).items()}
