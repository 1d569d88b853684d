"""The grader is damaged, part by part: the learner's file never pays for it, nor gains by it.

Longer than 300 lines, because each part is damaged in a way of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from grader import sandbox
from grader.base import course
from grader.base.model import Report, Status, Verdict
from grader.grading import faults
from grader.pipeline import Options, grade
from grader.protocol.probe import Job, Observation, Outcome, Probe, SeenError
from grader.report import as_check50, as_github, as_gradescope, as_json, as_junit, as_text
from tests.marks import sampled
from tests.own_course import Course, copy_course
from tests.worker_jobs import BEGUN, begun, processes_with

STEP = course.find("s05")
SCALE = " / math.sqrt(int(value.shape[-1]))"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return copy_course(tmp_path_factory.mktemp("course"))


@dataclass(frozen=True)
class Damage:
    """What is broken in which file of the grader, and words of what is then said."""

    file: str
    text: str
    broken: str
    said: str
    verdict: str = "error"


ENGINE = "grader/frameworks/max/engine"
TOP = "from __future__ import annotations\n"
FAILS = '    raise TypeError("damaged")\n'
HERE = "could not run your file"
OURS = "own solution fails here too"

DAMAGES = {
    "the interpreter cannot be imported": Damage(
        f"{ENGINE}/interpreter.py", TOP, f'{TOP}\nraise ImportError("damaged")\n', f"{HERE} (Import"
    ),
    "MAX has another way to register handlers": Damage(
        f"{ENGINE}/private.py", '"register_op_handler"', '"register"', "MAX has no max._interpreter"
    ),
    "a handler raises": Damage(
        f"{ENGINE}/reduce.py",
        "    powers, total = _powers(shifted, ",
        f"{FAILS}    powers, total = _powers(shifted, ",
        f"{OURS} (TypeError: damaged",
    ),
    "what the interpreter makes of each result": Damage(
        f"{ENGINE}/interpreter.py", "    target = kind.to_numpy()\n", FAILS, f"{OURS} (TypeError: d"
    ),
    "the staging of constants": Damage(
        f"{ENGINE}/literals.py",
        "    numbers = _flat(value)",
        f"{FAILS}    numbers = _flat(value)",
        "The grader's own staging failed: MAX did it.",
        "pass",
    ),
    "the staging leaves a graph half done": Damage(
        f"{ENGINE}/staging.py",
        "        added = Value",
        '        raise TypeError("damaged")\n        added = Value',
        "The grader's own staging failed: MAX did it.",
        "pass",
    ),
    "how results are looked at": Damage(
        "grader/frameworks/max/runtime.py",
        "            dtype = Tensor.dtype.fget(value)\n",
        "            dtype = self.damaged\n",
        OURS,
    ),
    "how arguments are made": Damage(
        "grader/frameworks/max/runtime.py",
        "            case language.TensorArg(array):\n",
        '            case language.TensorArg(array):\n                raise TypeError("damaged")\n',
        f"{OURS} (TypeError: damaged",
    ),
    "the worker's talk, with its job": Damage(
        "grader/worker/job_loop.py",
        "        watchdog.start(",
        '        raise TypeError("damaged")\n        watchdog.start(',
        OURS,
    ),
    "a module of the worker is missing": Damage(
        "grader/worker/program.py", TOP, "this is no Python\n", f"{HERE} (SyntaxError"
    ),
    "the judge": Damage(
        "grader/grading/judge.py",
        "    rulings: dict[str, Ruling] = {}\n",
        FAILS,
        "The grader itself failed (TypeError: damaged)",
    ),
    "an oracle": Damage(
        "checks/shared/attention.py", TOP, f'{TOP}\nraise ValueError("damaged")\n', "itself fail"
    ),
}


@contextmanager
def damaged(own: Course, damage: Damage) -> Iterator[None]:
    """The part is broken for the length of the block."""
    path = own.root / damage.file
    whole = path.read_text(encoding="utf-8")
    assert damage.text in whole
    path.write_text(whole.replace(damage.text, damage.broken, 1), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(whole, encoding="utf-8")


@pytest.mark.whole
@pytest.mark.any_python  # those beside a mistake are damaged with each Python
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_part_is_not_the_mistake_of_a_right_file(own: Course, name: str) -> None:
    damage = DAMAGES[name]
    own.spoil(SCALE, SCALE)
    with damaged(own, damage):
        done = own.run("grade", "s05", "--format", "json")
    found = json.loads(done.stdout)
    assert found["verdict"] == damage.verdict
    assert "fail" not in {check["status"] for check in found["checks"]}
    if damage.verdict == "pass":
        assert done.returncode == 0
        return
    assert done.returncode == 3
    first = found["checks"][0]
    assert first["status"] == "error"
    assert damage.said in first["message"]
    assert first["message"].endswith("This is not your mistake.")
    assert "doctor" in first["hints"][0]


BESIDE_A_MISTAKE = (
    "the interpreter cannot be imported",
    "a handler raises",
    "the staging of constants",
    "the judge",
)


@pytest.mark.parametrize("name", sampled(3, BESIDE_A_MISTAKE))
def test_a_damaged_part_is_told_to_whoever_wrote_a_wrong_file(own: Course, name: str) -> None:
    damage = DAMAGES[name]
    own.spoil(SCALE, "")
    with damaged(own, damage):
        done = own.run("grade", "s05", "--verbose")
    assert damage.said in done.stdout
    assert "Traceback" not in done.stderr
    if damage.verdict == "pass":  # what failed could be left to MAX, which says what is wrong
        assert done.returncode == 1
        assert "without the 1/√head_dim scale" in done.stdout
    else:
        assert done.returncode == 3
        assert "❌" not in done.stdout
        assert "run doctor" in done.stdout


def test_a_traceback_is_shown_only_on_request(own: Course) -> None:
    with damaged(own, DAMAGES["the interpreter cannot be imported"]):
        plain, verbose = (own.run("grade", "s05", *more) for more in ((), ("--verbose",)))
    assert "Traceback" not in plain.stdout
    assert "interpreter.py" in verbose.stdout


# ---- a worker that is killed ---------------------------------------------------------------

TIME = "time.sleep(2)\n"
"""For whoever kills the process of a file, to find it."""


LOOK_S = 0.03
"""Between two looks at all processes, each of which takes a few milliseconds."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A right file that takes a while to import."""
    path = tmp_path / "step_05.py"
    text = STEP.solution.read_text(encoding="utf-8")
    begin = f"import math, time\nfrom max.experimental.nn import Linear, Module\n{BEGUN}{TIME}"
    path.write_text(text.replace("import math\n", begin, 1), encoding="utf-8")
    return path


def kill_worker(running: sandbox.Running) -> None:
    """Kill the process that runs the file, as the kernel does when memory runs out."""
    while not running.closed:
        for process in begun(running.folder):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
                return
        time.sleep(LOOK_S)


def kill_all(running: sandbox.Running) -> None:
    """Kill the file's process with all that watches over it."""
    while not running.closed:
        found = processes_with(running.folder)
        if begun(running.folder):
            for process in found:
                with suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            return
        time.sleep(LOOK_S)


def kill_whatever(running: sandbox.Running) -> None:
    """Kill every process of a worker, whatever it runs."""
    while not running.closed:
        for process in processes_with(running.folder):
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(LOOK_S)


class Killer:
    """Starts workers; each of ``kills`` is let loose on one of them, in their order."""

    def __init__(self, *kills: Callable[[sandbox.Running], None]) -> None:
        self._kills = list(kills)
        self.started = 0

    def __call__(self, **chosen: Any) -> sandbox.Running:
        running = sandbox.start(**chosen)
        self.started += 1
        if self._kills:
            threading.Thread(target=self._kills.pop(0), args=[running], daemon=True).start()
        return running


linux = pytest.mark.skipif(sys.platform != "linux", reason="finds the worker in /proc")


@linux
@pytest.mark.parametrize("kill", sampled(3, [kill_worker, kill_all]))
def test_a_worker_killed_from_outside_costs_nothing(
    file: Path, kill: Callable[[sandbox.Running], None]
) -> None:
    killer = Killer(kill)
    report = grade(STEP, file, start=killer)
    assert report.verdict is Verdict.PASS
    assert killer.started == 3  # the file, the solution, the file again


@pytest.mark.parametrize(
    ("twice", "verdict", "runs"),
    [
        pytest.param(True, Verdict.PASS, 3, marks=pytest.mark.sampled(3)),
        pytest.param(False, Verdict.TIMEOUT, 2, marks=pytest.mark.whole),
    ],
)
def test_a_file_that_had_to_wait_is_graded_again_unless_its_class_does_that(
    twice: bool, verdict: Verdict, runs: int, file: Path
) -> None:
    """It sleeps, as a program does on a machine where others have the processor."""
    file.write_text(file.read_text("utf-8").replace(TIME, "time.sleep(4)\n"), "utf-8")
    limits = [None, None, sandbox.Limits(wall=2.5)]
    started = 0

    def start(**chosen: Any) -> sandbox.Running:
        nonlocal started
        started += 1
        return sandbox.start(**chosen, limits=limits.pop())

    assert grade(STEP, file, Options(twice=twice), start).verdict is verdict
    assert started == runs


def test_what_does_not_end_is_told_of_the_call_and_not_of_what_was_built(tmp_path: Path) -> None:
    path, blank = tmp_path / "step_05.py", "        # >>> blank: split-qkv\n"
    text = STEP.solution.read_text(encoding="utf-8")
    path.write_text(text.replace(blank, f"        while True: pass\n{blank}"), encoding="utf-8")
    quick = partial(sandbox.start, limits=sandbox.Limits(wall=1.5))
    report = grade(STEP, path, start=quick)
    found = {check.id: check for check in report.checks}
    assert found["builds"].status is Status.PASS
    assert found["forward"].status is Status.FAIL
    assert "did not finish in time" in found["forward"].message
    assert text[: text.index(blank)].count("\n") + 1 == found["forward"].line


@linux
def test_where_every_worker_is_killed_the_machine_is_at_fault(file: Path) -> None:
    killer = Killer(kill_worker, kill_whatever)
    report = grade(STEP, file, start=killer)
    assert report.verdict is Verdict.ERROR
    assert not [check for check in report.checks if check.status is Status.FAIL]
    assert report.problem is not None
    assert report.problem.message.startswith("The course's own solution fails here too (")
    assert report.problem.message.endswith("This is not your mistake.")


@linux
@pytest.mark.whole
def test_a_file_killed_from_outside_every_time_is_an_error(file: Path) -> None:
    survivors = [lambda running: None]  # the solution
    report = grade(STEP, file, start=Killer(kill_worker, *survivors, kill_worker))
    assert report.verdict is Verdict.ERROR
    assert report.problem is not None
    assert "killed from outside" in report.problem.message


@linux
def test_a_file_that_kills_itself_fails(tmp_path: Path) -> None:
    path = tmp_path / "step_05.py"
    path.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", encoding="utf-8")
    report = grade(STEP, path)
    assert report.verdict is Verdict.FAIL  # it may not, and that is an error of its own
    assert any("PermissionError" in f"{check.message} {check.note}" for check in report.checks)


# ---- what a file claims --------------------------------------------------------------------

CLAIMS = """
import sys
frame = sys._getframe()
while frame is not None:
    if hasattr(frame.f_locals.get("runtime"), "faults"):
        frame.f_locals["runtime"].faults.extend(["staging", "BottomKOp", "no.such.part"])
        print("claimed")
    frame = frame.f_back
"""


def test_a_file_that_claims_a_fault_of_the_engine_gains_nothing(tmp_path: Path) -> None:
    path = tmp_path / "step_05.py"
    text = STEP.solution.read_text(encoding="utf-8").replace(SCALE, "")
    path.write_text(text.replace("import math\n", f"import math\n{CLAIMS}", 1), encoding="utf-8")
    report = grade(STEP, path)
    assert "claimed" in report.output
    assert not any("no.such.part" in line for line in report.left)
    assert report.verdict is Verdict.FAIL
    assert [one.misconception for one in report.diagnosis] == ["missing-scale"]


def observed(error: SeenError) -> Outcome:
    return Outcome("done", {"p": Observation("p", {}, error)})


def test_what_is_doubtful() -> None:
    plain = SeenError("TypeError", "no", "out", 3)
    assert not faults.doubtful(Outcome("done", {}))
    assert not faults.doubtful(observed(plain))
    assert not faults.doubtful(observed(replace(plain, origin="below")))
    assert not faults.doubtful(observed(replace(plain, type_name="ImportError")))
    assert faults.doubtful(observed(replace(plain, origin="grader")))
    assert faults.doubtful(observed(replace(plain, type_name="ImportError", origin="below")))
    assert faults.doubtful(Outcome("done", {}, faults=("staging",)))
    for ended in ("exit", "garbled", "killed", "memory", "timeout"):
        assert faults.doubtful(Outcome(ended, {}))


def test_the_solution_does_not_run_for_each_of_many_that_end_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: sandbox.WorkerPool
) -> None:
    monkeypatch.setattr(faults, "_right", {})
    path = tmp_path / "step_05.py"
    path.write_text("import os\nos._exit(0)\n", encoding="utf-8")
    started: list[str] = []

    def start(*, engine: str) -> sandbox.Worker:
        started.append(engine)
        return workers.start(engine=engine)

    for expected in (2, 3, 4):
        assert grade(STEP, path, start=start).verdict is Verdict.FAIL
        assert len(started) == expected


def test_where_only_errors_are_in_doubt_the_solution_runs_one_trial_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(faults, "_right", {})
    one, two = (SeenError("TypeError", text, "out", 3, origin="grader") for text in "ab")
    plain = replace(one, origin="file")
    errors = {"p": one, "q": one, "r": two, "s": plain, "t": None}
    seen = {name: Observation(name, {}, error) for name, error in errors.items()}
    probes = tuple(Probe(name, ()) for name in seen)
    ran: list[list[str]] = []

    class Told:
        """A worker whose program raises what ``answer`` says."""

        answer: SeenError | None = None

        def __init__(self, engine: str) -> None:
            self.engine = engine

        def __enter__(self) -> Told:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def finish(self, job: Job) -> Outcome:
            ran.append([probe.name for probe in job.probes])
            return Outcome("done", {"q": Observation("q", {}, self.answer)})

    def problem(outcome: Outcome) -> str:
        start: Any = Told
        return faults.reference_problem(
            STEP, Job("f.py", "", {}, probes), outcome, start, lambda _: "wrong"
        )

    assert problem(Outcome("done", seen)) == ""
    assert ran == [["q", "r"]]
    Told.answer = one
    assert problem(Outcome("done", seen)) == "TypeError: a"
    assert problem(Outcome("done", seen, faults=("AddOp",))) == "wrong"
    assert ran[-1] == list(seen)


def test_a_file_runs_once_more_where_the_engine_failed_or_it_was_killed() -> None:
    job = Job("f.py", "", {}, ())
    assert faults.once_more(job, Outcome("exit", {})) is None
    assert faults.once_more(job, Outcome("killed", {})) == job
    assert faults.once_more(job, Outcome("exit", {}, status=1)) is None
    assert faults.once_more(job, Outcome("exit", {}, status=-signal.SIGABRT)) == job
    assert faults.once_more(job, Outcome("timeout", {}, spent=19.0)) is None
    assert faults.once_more(job, Outcome("timeout", {}, spent=2.0)) == job
    refused = SeenError("MemoryError", "", "out", origin="below")
    assert faults.doubtful(observed(refused))
    assert faults.once_more(job, observed(refused)) == job
    again = faults.once_more(job, Outcome("done", {}, faults=("AddOp",)))
    assert again == replace(job, without=("AddOp",))


# ---- another MAX ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def other_max(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of packages in which MAX says that it has another version."""
    folder = tmp_path_factory.mktemp("site")
    info = next(path for entry in sys.path for path in Path(entry).glob("max-[0-9]*.dist-info"))
    (folder / info.name).mkdir()
    text = (info / "METADATA").read_text(encoding="utf-8")
    other = re.sub(r"(?m)^Version: .*$", "Version: 25.1.0", text, count=1)
    (folder / info.name / "METADATA").write_text(other, encoding="utf-8")
    return str(folder)


@pytest.mark.whole
def test_grade_says_at_once_that_max_has_another_version(own: Course, other_max: str) -> None:
    shutil.copy(course.ROOT / "pixi.toml", own.root)
    own.solve()
    path = f"{own.root}{os.pathsep}{other_max}"
    done = own.run("grade", "s05", PYTHONPATH=path)
    assert done.returncode == 0
    assert done.stderr.startswith("MAX 25.1.0 is installed, but the grader is made for MAX ")
    assert "./pixiw install" in done.stderr
    own.spoil(SCALE, "")
    wrong = own.run("grade", "s05", PYTHONPATH=path)
    assert wrong.returncode == 1  # the solution passes, so it is the file
    assert "without the 1/√head_dim scale" in wrong.stdout


# ---- every format --------------------------------------------------------------------------


def test_every_format_says_that_it_is_not_the_learners_mistake() -> None:
    base = Report("s05", "Title", "f.py", Verdict.FAIL, ())
    report = faults.of_ours(base, STEP, RuntimeError("damaged"))
    said = "The grader itself failed (RuntimeError: damaged). This is not your mistake."
    assert report.verdict is Verdict.ERROR
    for module in (as_check50, as_github, as_gradescope, as_json, as_junit, as_text):
        assert said in module.render(report)
    assert "❌" not in as_text.render(report)


def test_a_machine_that_refuses_is_told_as_such(tmp_path: Path) -> None:
    def start(**_: object) -> sandbox.Running:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    report = grade(STEP, STEP.solution, Options(), start)
    assert report.verdict is Verdict.ERROR
    assert report.problem is not None
    assert report.problem.message.startswith("The machine refused (BlockingIOError")
    assert {check.status for check in report.checks} == {Status.NOT_RUN}
