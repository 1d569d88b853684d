"""The parts behind a trace on small programs: causes, gaps, numbers, rewrites, slips, placing.

Longer than 300 lines, because the parts are tried on the same small programs.
"""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader.base.model import CheckResult, Diagnosis, Kind, Margin, Report, Status, Trace, Verdict
from grader.explain.trace.cause import Cause, Causes
from grader.explain.trace.omitted import omitted, wasted
from grader.explain.trace.relations import Values, gelu_by_hand, same
from grader.explain.trace.repeats import _of_another_rank
from grader.explain.trace.rewrite import Rewrite
from grader.explain.trace.scalars import Scalars
from grader.explain.trace.alignment import Comparison
from grader.grading.placing import Placing
from grader.rubric import Check, Failed, Misconception, Rubric
from grader.source import Finding, parse
from grader.source.endless import endless
from tests import recorded_runs

RIGHT = """\
import math
import numpy as np

def weights(scores):
    low = scores - scores.max(axis=-1, keepdims=True)
    exp = np.exp(low)
    return exp / exp.sum(axis=-1, keepdims=True)

def attend(query, key, value, mask):
    scores = query @ key.T
    scaled = scores / math.sqrt(query.shape[-1])
    masked = scaled + mask
    return weights(masked) @ value
"""

GIVEN = list(np.random.default_rng(5).normal(size=(3, 4, 6)))
MASK = np.triu(np.full((4, 4), -5.0), 1)


def compared(*edits: tuple[str, str], proven: str = "") -> Comparison:
    mine = RIGHT
    for right, wrong in edits:
        assert mine.count(right) == 1, right
        mine = mine.replace(right, wrong)
    return recorded_runs.compared(mine, RIGHT, "attend", *GIVEN, MASK, proven=proven)


def cause_of(comparison: Comparison) -> Cause:
    (departure,) = comparison.departures(len(comparison.mine.arrays) - 1)
    return Causes(comparison).of(departure)


def line_of(comparison: Comparison, code: str) -> int:
    lines = comparison.mine.source.splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if code in line]
    return found


# ---- causes --------------------------------------------------------------------------------


def test_a_right_program_has_no_departure() -> None:
    comparison = compared(("low = s", "low  = s"))
    assert comparison.departures(len(comparison.mine.arrays) - 1) == ()


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("scaled + mask", "scaled - mask", "scaled - mask"),
        ("exp.sum(axis=-1", "exp.sum(axis=0", "exp.sum(axis=0"),
        ("query @ key.T", "query @ value.T", "query @ value.T"),
        ("return weights(masked) @ value", "return weights(masked) @ key", "weights(masked) @ key"),
    ],
)
def test_the_cause_is_the_operation_that_is_written_otherwise(
    right: str, wrong: str, code: str
) -> None:
    comparison = compared((right, wrong))
    cause = cause_of(comparison)
    assert comparison.mine.line(cause.node) == line_of(comparison, code)


def test_a_wrong_operand_is_told_with_the_right_one() -> None:
    comparison = compared(("@ value", "@ key"))
    cause = cause_of(comparison)
    given = {name: comparison.right.arrays[n] for n, name in enumerate(("query", "key", "value"))}
    assert cause.have is not None
    assert cause.want is not None
    assert np.array_equal(comparison.mine.arrays[cause.have], given["key"])
    assert np.array_equal(comparison.right.arrays[cause.want], given["value"])


def test_a_sum_is_compared_in_either_order() -> None:
    comparison = compared(("masked = scaled + mask", "masked = mask + scores"))
    cause = cause_of(comparison)
    assert cause.have is not None
    assert comparison.mine.segment(comparison.mine.made[cause.have].node) == "query @ key.T"


def test_a_helper_that_is_right_alone_is_not_to_blame() -> None:
    edit = ("weights(masked)", "weights(masked.T)")
    comparison = compared(edit, proven="weights")
    assert comparison.mine.line(cause_of(comparison).node) == line_of(comparison, "masked.T")


def test_what_is_computed_and_not_used_is_wasted() -> None:
    comparison = compared(("masked = scaled + mask", "masked = scaled\n    scaled + mask"))
    ((node, value, name),) = wasted(comparison)
    assert comparison.mine.segment(node) == "scaled + mask"
    assert comparison.known(value)
    assert name == ""


# ---- steps that are left out -----------------------------------------------------------------


def test_a_step_that_is_left_out_belongs_after_what_it_takes() -> None:
    comparison = compared(("scores / math.sqrt(query.shape[-1])", "scores"))
    gap = omitted(comparison, cause_of(comparison))
    assert gap is not None
    assert gap.line == line_of(comparison, "scaled = scores")
    assert comparison.right.segment(gap.step.node) == "scores / math.sqrt(query.shape[-1])"


def test_a_step_that_is_taken_elsewhere_is_not_left_out() -> None:
    late = ("weights(masked) @ value", "weights(masked) / math.sqrt(query.shape[-1]) @ value")
    comparison = compared(("scores / math.sqrt(query.shape[-1])", "scores"), late)
    (first, *_) = comparison.departures(len(comparison.mine.arrays) - 1)
    assert omitted(comparison, Causes(comparison).of(first)) is None


# ---- plain numbers ---------------------------------------------------------------------------

LAYER = """\
import math

class Layer:
    def __init__(self, width, heads=2):
        self.heads = heads
        self.size = width // self.heads
        self.scale = math.sqrt(self.size)

    def __call__(self, x):
        return self.split(x / self.scale, self.size)

    def split(self, x, size):
        shape = [len(x), -1, size]
        return x.reshape(shape)

def use(x):
    return Layer(12)(x)
"""


@pytest.mark.parametrize(
    ("right", "wrong", "code", "said"),
    [
        ("math.sqrt(self.size)", "math.sqrt(width)", "math.sqrt(width)", "self.scale is 3.464"),
        (
            "shape = [len(x), -1, size]",
            "shape = [2, -1, size]",
            "shape = [2",
            "shape is [2, -1, 6]",
        ),
    ],
)
def test_a_wrong_number_is_followed_to_the_line_that_works_it_out(
    right: str, wrong: str, code: str, said: str
) -> None:
    assert LAYER.count(right) == 1
    x = np.random.default_rng(2).normal(size=(5, 12))
    comparison = recorded_runs.compared(LAYER.replace(right, wrong), LAYER, "use", x)
    found = comparison.departures(len(comparison.mine.arrays) - 1)
    order = comparison.mine.made[found[0].value].order
    origin = Scalars(comparison).of(Causes(comparison).of(found[0]), order)
    assert origin is not None
    assert origin.line == line_of(comparison, code)
    assert str(origin).startswith(said), str(origin)


def test_a_number_that_the_reference_has_under_this_name_is_right() -> None:
    x = np.random.default_rng(2).normal(size=(5, 12))
    wrong = LAYER.replace("x / self.scale", "x / self.size")
    comparison = recorded_runs.compared(wrong, LAYER, "use", x)
    (first, *_) = comparison.departures(len(comparison.mine.arrays) - 1)
    order = comparison.mine.made[first.value].order
    assert Scalars(comparison).of(Causes(comparison).of(first), order) is None


def test_a_helper_s_arguments_are_not_compared_with_each_other() -> None:
    assert _of_another_rank([(2, 3), (2, 3), (3,)])
    assert not _of_another_rank([(2, 3), (4, 5)])
    assert not _of_another_rank([(3,)])


# ---- rewrites --------------------------------------------------------------------------------


def test_the_reference_is_written_with_the_learners_names() -> None:
    names = [("def attend(query, key, value, mask)", "def attend(q, k, v, m)")]
    body = [
        ("query @ key.T", "q @ k.T"),
        ("scores / math.sqrt(query.shape[-1])", "scores / math.sqrt(q.shape[-1])"),
        ("scaled + mask", "m - scaled"),
        ("@ value", "@ v"),
    ]
    comparison = compared(*names, *body)
    cause = cause_of(comparison)
    (twin,) = [
        number
        for number, node in enumerate(comparison.right.nodes)
        if isinstance(node, ast.BinOp) and comparison.right.segment(number) == "scaled + mask"
    ]
    assert Rewrite(comparison).of(Cause(cause.node, twin=twin)) == "scaled + m"


def test_what_the_program_has_no_name_for_is_not_written() -> None:
    comparison = compared(("scaled = scores / math.sqrt(query.shape[-1])", "scaled = scores"))
    cause = cause_of(comparison)
    assert Rewrite(comparison).of(cause) == ""


# ---- placing ---------------------------------------------------------------------------------

PROGRAM = """\
class Layer:
    def __init__(self):
        self.scale = 3

    def __call__(self, x, mask):
        scaled = x / self.scale
        masked = scaled + mask
        return masked
"""

MISTAKE = Misconception("wrong-scale", "The scale is wrong.", {}, part="scale")


def placed(finding: Finding, trace: Trace, *, sure: bool = False, named: bool = True) -> Report:
    """A report on ``PROGRAM`` with one source check and one of the run, once it is placed."""
    check = Check(
        "scale", "it is scaled", "it is not scaled", "Scale it", "", test=lambda _: finding
    )
    runs = Check("runs", "it runs", "it does not run", "Look", "", rule=lambda _: Failed())
    rubric = Rubric((check, runs), lambda _: (), (MISTAKE,))
    source = parse(PROGRAM.encode(), "step_01.py")
    status = Status.PASS if finding.ok and not named else Status.FAIL
    results = (
        CheckResult("scale", Kind.SOURCE, status, "m", ("h",), finding.line, "t"),
        CheckResult("runs", Kind.RUNTIME, Status.FAIL, "m", ("h",), 8 if sure else None, None),
    )
    told = (Diagnosis("wrong-scale", "The scale is wrong."),) if named else ()
    report = Report("s01", "T", "f", Verdict.FAIL, results, told, trace=trace)
    certain = frozenset(("runs",)) if sure else frozenset[str]()
    return Placing(rubric, source, {"scale": finding}, certain).placed(report)


def at(line: int, **more: Any) -> Trace:
    return Trace((f"On line {line} the numbers go wrong",), line, (), **more)


def test_a_blamed_check_stands_where_the_values_leave_the_path() -> None:
    report = placed(Finding(True, 6), at(7))
    assert [one.line for one in report.checks] == [7, 7]
    assert report.diagnosis[0].line == 7


def test_a_blamed_check_on_what_init_makes_stays_there() -> None:
    assert placed(Finding(True, 3), at(6)).checks[0].line == 3


def test_a_tick_on_the_line_that_leaves_the_path_waits() -> None:
    (check, _) = placed(Finding(True, 7), at(7), named=False).checks
    assert check.status is Status.NOT_RUN
    assert check.note == "The numbers go wrong on its line, 7."
    (check, _) = placed(Finding(True, 6), at(7), named=False).checks
    assert check.status is Status.PASS


def test_the_line_before_a_step_that_is_left_out_keeps_its_tick() -> None:
    (check, _) = placed(Finding(True, 7), at(7, left_out=True), named=False).checks
    assert check.status is Status.PASS


def test_a_guess_elsewhere_waits_and_a_sure_one_stays() -> None:
    (guess, _) = placed(Finding(False, 6), at(7), named=False).checks
    assert guess.status is Status.NOT_RUN
    (sure, _) = placed(Finding(False, 6, certain=True), at(7), named=False).checks
    assert (sure.status, sure.line) == (Status.FAIL, 6)


def test_no_line_is_told_beside_one_that_is_known() -> None:
    left = (Margin(7, "[2]", "left", ""),)
    report = placed(Finding(True, 6), replace(at(7), margin=left), sure=True, named=False)
    assert report.trace is not None
    assert (report.trace.line, report.trace.told) == (None, ())
    assert report.checks[1].line == 8


def test_what_the_line_does_already_is_not_to_be_written() -> None:
    trace = at(7, write="scaled + mask")
    assert placed(Finding(True, 6), trace).checks[1].hints == ("h",)
    assert placed(Finding(True, 6), at(7, write="scaled - mask")).checks[1].hints == (
        "Write scaled - mask",
    )


# ---- loops that never end ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        ("while n < most:\n        text.append(1)\n", "nothing in it changes most or n"),
        ("while len(text) < most:\n        text.append(1)\n", "Does text change"),
        ("while True:\n        text.append(1)\n", "ends only at a break or a return"),
    ],
)
def test_a_loop_that_was_still_running_is_told(loop: str, said: str) -> None:
    program = f"def g(n, most):\n    text = []\n    {loop}    return text\n"
    found = endless(ast.parse(program), 4)
    assert found is not None
    assert (found[0], said in found[1]) == (3, True)


def test_without_a_loop_nothing_is_told() -> None:
    assert endless(ast.parse("def g(n):\n    for i in n:\n        print(i)\n"), 3) is None


def test_a_gelu_written_by_hand_is_known_on_the_way() -> None:
    x = np.linspace(-2.0, 2.0, 7)
    known = gelu_by_hand(x)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    for right in (0.044715 * x * x * x, inner, np.tanh(inner), 0.5 * x):
        assert any(same(right, one) for one in known)
    for wrong in (x + 0.044715 * x**2, x * (1 + np.tanh(inner))):
        assert not any(same(wrong, one) for one in known)


@pytest.mark.parametrize("at", [(slice(None), 2), (1, 2), (1,)])
def test_what_a_loop_works_on_is_a_part(at: tuple[int | slice, ...]) -> None:
    whole = np.random.default_rng(1).normal(size=(2, 3, 4, 5))
    relation = Values([whole]).relation(whole[at])
    assert relation is not None
    assert (relation.kind, relation.of) == ("part", 0)
    assert Values([whole]).relation(2 * whole[at]) is None
