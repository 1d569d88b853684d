"""Answers of every kind where a tensor was asked for: the judge says fail, and never stumbles.

What runs in the worker may answer anything that the protocol can carry. Here it does, for every
step, without a process: each action of each trial gets a value drawn from a list of odd ones.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grader import frameworks
from grader.base import course
from grader.base.model import Status, Step
from grader.explain.trace.run import Run
from grader.frameworks.max.errors import table
from grader.grading import excerpt
from grader.grading.diagnose import diagnose
from grader.grading.judge import Case, behaves, rule_all, settle, source_findings
from grader.protocol.message import WireError
from grader.protocol.probe import (
    Load,
    Make,
    Observation,
    Outcome,
    Read,
    SeenArray,
    SeenCall,
    SeenError,
    SeenModule,
    SeenObject,
    SeenParameter,
    SeenTensor,
    SeenValue,
    Trail,
)
from grader.protocol.wire import decode_message, encode
from grader.rubric import Evidence, Rubric, load
from grader.source import parse
from tests.marks import any_numbers, sampled

pytestmark = [pytest.mark.any_python, any_numbers]  # the judge runs none of the file
ROUNDS = 3

ARRAYS = (
    np.zeros((0,), np.float32), np.zeros((), np.float64), np.zeros((3, 0, 2), np.int8),
    np.full((1, 4, 768), np.nan, np.float32), np.full((2, 3), np.inf, np.float16),
    np.array([[2**63 - 1]], np.int64), np.array([True, False]), np.zeros((1,) * 30, np.float32),
    np.full((2, 2), 3e38, np.float32), np.array([2**64 - 1], np.uint64),
    np.array([0x7F800001], np.uint32).view(np.float32),
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, -1, 2**62, float("nan"), float("-inf"), "", "✅\n" * 99, [], (), {}, [1, None],
    [2**62, -(2**62)], [[1, 2], [3]], (1.5, "x"), {"a": {}}, [True, False], SeenObject("x" * 300),
    SeenModule("", False, {}, {}), *(SeenTensor(a, "float32") for a in ARRAYS),
    *(SeenTensor(a, "🎉") for a in ARRAYS[:2]), *(SeenArray(a) for a in ARRAYS),
    [SeenArray(a) for a in ARRAYS], tuple(SeenTensor(a, "float32") for a in ARRAYS[:3]),
)  # fmt: skip
TEXTS = (
    "Split sizes must sum to dimension value; x=Dim(0) != sum(sizes=[])",
    "Concat inputs differ on non-concat axis 2: ",
    "too many values to unpack (expected 99999999999999999999)",
    "number of elements must match: [] != []",
    f"Axis must be in range [-{'9' * 5000}, 3), got 3",
    "'NoneType' object has no attribute 'view'",
    "name 'x' is not defined",
    "f() got an unexpected keyword argument 'dim'",
)
ERROR = SeenError("x\x1b[2J\n🎉", "(shape [\n✅])" * 99, "", 2**31 - 1, "✅", "\x1b[2J")


class Answers:
    """Draws what a hostile worker might say."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def value(self) -> Any:
        return VALUES[int(self.rng.integers(len(VALUES)))]

    def error(self) -> SeenError:
        """An error that looks like one that is retold, with values that do not fit it."""
        texts = (ERROR.message, *(row.text[:200] for row in table().rows), *TEXTS)
        codes = ("F.f(x)", "a @ b", "x[", "raise E", "(" * 400, "f(" * 90 + ")" * 90, "x.view(9)")
        text = texts[int(self.rng.integers(len(texts)))]
        code = codes[int(self.rng.integers(len(codes)))]
        value = SeenValue(
            "Tensor", "✅\n", (0, 2**31), "\x1b[2J", ("x", "*", "=", "axis=1"), ("a",)
        )
        call = SeenCall(2**31 - 1, "✅", code, code, {"x": value, "a": value, "": value})
        kind = ("ValueError", "TypeError", "AttributeError", "NameError", "✅")
        name = kind[int(self.rng.integers(len(kind)))]
        return SeenError(name, text, "", 3, "f", "", calls=(call,) * 3, about=value)

    def module(self, weights: dict[str, Any]) -> SeenModule:
        odd = ((), (2**31,), (0,), (3, 5, 7))
        parameters = {
            name: SeenParameter(array.shape if self.rng.random() < 0.9 else odd[1], "float32")
            for name, array in weights.items()
        }
        kinds = {name.split(".")[0]: "Linear" for name in weights}
        return SeenModule("✅\n", bool(self.rng.random() < 0.9), parameters, kinds)

    def action(self, action: Any, weights: dict[str, Any], want: Mapping[str, Any]) -> Any:
        if action.name in want and self.rng.random() < 0.5:
            shape = want[action.name].shape
            fill = (np.nan, np.inf, -1e38, 0.5)[int(self.rng.integers(4))]
            return SeenTensor(np.full(shape, fill, np.float32), "float32")
        if self.rng.random() < 0.1:
            return self.value()
        match action:
            case Make():
                return self.module(weights)
            case Load():
                return None
            case Read():
                return {name: self.value() for name in action.attributes}
        return self.value()

    def observation(self, probe: Any, want: Mapping[str, Any]) -> Observation:
        weights: dict[str, Any] = {}
        for action in probe.actions:
            weights = action.weights if isinstance(action, Load) else weights
        results: dict[str, Any] = {}
        for action in probe.actions:
            if self.rng.random() < 0.03:
                raised = replace(self.error(), action=action.name)
                return Observation(probe.name, results, raised)
            results[action.name] = self.action(action, weights, want)
        return Observation(probe.name, results)


def carried(observation: Observation) -> Observation:
    """``observation`` as it comes out of the protocol, cleaned."""
    frame = encode(observation)
    head = int.from_bytes(frame[4:8], "little")
    message = decode_message(frame[16 : 16 + head], frame[16 + head :])
    assert isinstance(message, Observation)
    return message


SOURCE = "def f(x):\n    y = x + 1\n    return y * 2\n"
NODES = {ast.unparse(node): number for number, node in enumerate(ast.walk(ast.parse(SOURCE)))
         if isinstance(node, ast.BinOp)}  # fmt: skip
PLACES = np.array([[NODES["x + 1"], -1, 0], [NODES["y * 2"], -1, 1]], np.int32)
SCALARS = np.array([[NODES["x + 1"], -1, 7, 1, 0], [NODES["y * 2"], 3, np.inf, 0, 2]], np.float64)
ODD = (np.nan, np.inf, -np.inf, -2.0, 0.5, 1e300, 2.0**62)


def trail(places: Any = PLACES, scalars: Any = SCALARS, values: int = 2) -> Trail:
    return Trail(places, (SeenArray(np.ones(3)),) * values, scalars)


def changed(array: Any, column: int, value: float) -> Any:
    found = array.copy()
    found[0, column] = value
    return found


FORGED = {
    **{
        f"scalar {column} {value}": trail(scalars=changed(SCALARS, column, value))
        for column in range(5)
        for value in ODD
        if (column, value) not in {(0, 1e300), (0, 2.0**62), (2, -2.0), (2, 2.0**62)}
    },
    **{
        f"place {column} {value}": trail(changed(PLACES, column, value))
        for column in range(3)
        for value in (-2, 2**31 - 1)
        if (column, value) != (0, 2**31 - 1)
    },
    **{
        f"{type_} {kind}": trail(PLACES.astype(type_), SCALARS.astype(kind))
        for type_, kind in ((np.int64, np.float64), (np.int32, np.float32))
    },
    "flat": trail(PLACES.reshape(-1), SCALARS),
    "a value without a place": trail(values=3),
    "a place without a value": trail(values=1),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_trail_with_what_is_no_index_or_number_of_one_does_not_arrive(name: str) -> None:
    with pytest.raises(WireError):
        carried(Observation("p", {}, trail=FORGED[name]))


def test_a_trail_of_another_program_tells_nothing() -> None:
    assert Run(SOURCE, carried(Observation("p", {}, trail=trail())).trail or trail()).fits
    for node in (0, NODES["x + 1"] + 1000, 2.0**62):
        assert not Run(SOURCE, trail(scalars=changed(SCALARS, 0, node))).fits
    assert not Run(SOURCE, trail(changed(PLACES, 0, 2**31 - 1))).fits


def judged(step: Step, rubric: Rubric, answers: Answers, seed: int) -> None:
    trials = {trial.probe.name: trial for trial in rubric.draw(np.random.default_rng(seed))}
    right = Evidence(trials, Outcome("done", {}), frameworks.current())
    seen = {
        name: carried(answers.observation(trial.probe, right.expected(name)))
        for name, trial in trials.items()
    }
    evidence = Evidence(trials, Outcome("done", seen), frameworks.current())
    rulings = rule_all(rubric, evidence)
    explanation = None if behaves(rulings) else diagnose(rubric, evidence)
    source = parse(step.stub.read_bytes(), "steps/step.py", frameworks.current().spellings())
    checks = settle(
        Case(rubric, source, evidence, rulings, source_findings(rubric, source), explanation)
    )
    excerpt.cut(evidence, rulings)
    assert any(check.status is not Status.PASS for check in checks)
    for check in checks:
        assert "\n" not in check.message
        assert len(check.message) < 1_000


@pytest.mark.parametrize("step", sampled(8, course.steps()), ids=lambda step: step.id)
def test_odd_answers_fail_and_nothing_stumbles(step: Step) -> None:
    rubric = load.rubric(step)
    for seed in range(ROUNDS):
        judged(step, rubric, Answers(seed), seed)
